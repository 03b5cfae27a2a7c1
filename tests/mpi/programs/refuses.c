// A program on a kernel that lets nobody change the rights of a page. Calls what only newer libraries have, if this one
// has it, and asks the loader. tests/mpi/test_plugins.py
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stddef.h>

int mprotect(void *address, size_t bytes, int rights) {
  (void)address, (void)bytes, (void)rights;
  errno = EACCES;
  return -1;
}

int main(int argc, char **argv) {
  char buffer[30] = {0};
  MPI_Init(&argc, &argv);
  MPI_Bcast(buffer, 10, MPI_CHAR, 0, MPI_COMM_WORLD);
#if MPI_VERSION >= 4 && !defined(OPEN_MPI)
  MPI_Bcast_c(buffer, 30, MPI_CHAR, 0, MPI_COMM_WORLD);
#endif
  if (dlopen(NULL, RTLD_LAZY) == NULL) return 1;
  MPI_Finalize();
  return 0;
}
