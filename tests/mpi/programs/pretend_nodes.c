// Preloaded: Rankwise takes the processes of a node for processes on several. PRETEND_NODES has a letter for each rank,
// the node's name. Only Rankwise is told so: MPI libraries have their own ways to find out who shares memory.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gethostname(char *name, size_t length) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  const char *rank = NULL, *nodes = getenv("PRETEND_NODES");
  Dl_info caller;
  for (int i = 0; i < 3 && !rank; i++) rank = getenv(ranks[i]);
  if (rank && nodes && (size_t)atoi(rank) < strlen(nodes) && dladdr(__builtin_return_address(0), &caller) &&
      strstr(caller.dli_fname, "/librankwise"))
    return snprintf(name, length, "%c", nodes[atoi(rank)]) < 0;
  int (*next)(char *, size_t) = (int (*)(char *, size_t))dlsym(RTLD_NEXT, "gethostname");
  return next(name, length);
}
