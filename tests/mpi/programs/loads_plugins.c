// Loads the plugins that it is given, one after the other, and runs each. tests/mpi/test_plugins.py
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i) {
    void *object = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    void (*plugin)(void) = object == NULL ? NULL : (void (*)(void))dlsym(object, "plugin");
    if (plugin == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    plugin();
    // Not unloaded: a Fortran binding may not be.
  }
  MPI_Finalize();
  return 0;
}
