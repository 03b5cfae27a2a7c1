// Where this MPI library is, and what its headers call two handles: for programs that know neither.
// tests/mpi/test_looked_up.py
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(void) {
  Dl_info library;
  int initialised;
  MPI_Initialized(&initialised);  // or the linker would leave the library out
  if (dladdr(dlsym(RTLD_DEFAULT, "PMPI_Init"), &library) == 0) return 1;
#ifdef OPEN_MPI
  printf("%s ompi_mpi_comm_world ompi_mpi_int\n", library.dli_fname);
#else
  printf("%s %ld %ld\n", library.dli_fname, (long)MPI_COMM_WORLD, (long)MPI_INT);
#endif
  return 0;
}
