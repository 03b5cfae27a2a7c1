// Loads the plugins that it is given, one after the other, and runs each. After the word "deep" they are opened with
// RTLD_DEEPBIND. A plugin whose path comes after a "+" is not asked for its function: it has said so itself when it was
// loaded. tests/mpi/test_plugins.py
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int mode = RTLD_LAZY | RTLD_LOCAL;
  void (*plugin)(void) = NULL;
  char place[32];
  MPI_Init(&argc, &argv);
  snprintf(place, sizeof place, "%p", (void *)&plugin);
  setenv("PLACE_FOR_PLUGIN", place, 1);
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "deep") == 0) {
      mode |= RTLD_DEEPBIND;
      continue;
    }
    const int asked = argv[i][0] != '+';
    void *object = dlopen(argv[i] + !asked, mode);
    if (object != NULL && asked) plugin = (void (*)(void))dlsym(object, "plugin");
    if (object == NULL || plugin == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    plugin();
    // Not unloaded: a Fortran binding may not be.
  }
  MPI_Finalize();
  return 0;
}
