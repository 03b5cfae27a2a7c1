// Looks up procedures in every way that the loader offers, and calls what it finds, each a number of times of its own.
// tests/mpi/test_looked_up.py
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

typedef int Barrier(MPI_Comm);

static void call(void *function, int times) {
  if (function == NULL) exit(1);
  for (int i = 0; i < times; ++i) ((Barrier *)function)(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  Dl_info library;
  MPI_Init(&argc, &argv);
  if (dladdr(dlsym(RTLD_DEFAULT, "PMPI_Init"), &library) == 0) return 1;
  void *mpi = dlopen(library.dli_fname, RTLD_LAZY);
  void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND);
  dlerror();
  call(dlsym(mpi, "MPI_Barrier"), 1);
  call(dlsym(plugin, "MPI_Barrier"), 10);
  call(dlsym(RTLD_DEFAULT, "MPI_Barrier"), 100);
  call(dlsym(RTLD_NEXT, "MPI_Barrier"), 1000);
  if (dlerror() != NULL) return 2;
  if (dlsym(mpi, "MPI_None_such") != NULL || dlerror() == NULL) return 3;
  // Not by a PMPI_ name.
  call(dlsym(mpi, "PMPI_Barrier"), 7);
  MPI_Finalize();
  return 0;
}
