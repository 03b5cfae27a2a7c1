// Enters regions very often, and looks at what of the counters' memory can be read.
//
//     quick_regions TIMES
//
// Prints how often counters were read and texts copied by the kernel (counted_calls.c is preloaded): for a name that is
// a literal, and for one that is not; then how many bytes of the counters' file are mapped, readable, and there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long *readings, *copies;

static void enter_and_leave(const char *name, int times) {
  const unsigned long before = *readings, copied = *copies;
  for (int i = 0; i < times; i++) {
    MPI_Pcontrol(1, name);
    MPI_Pcontrol(-1, name);
  }
  printf("%d times: %lu readings, %lu copies\n", times, *readings - before, *copies - copied);
}

static void print_memory(void) {
  char line[4096], path[4096];
  unsigned long begin, end, mapped = 0, readable = 0, there = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    char access[8];
    struct stat status;
    if (!strstr(line, ".counters") || sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &begin, &end, access, path) != 4)
      continue;
    mapped += end - begin;
    if (access[0] == 'r') readable += end - begin;
    if (stat(path, &status) == 0) there = (unsigned long)status.st_size;
  }
  if (maps) fclose(maps);
  printf("mapped %lu, readable %lu, there %lu\n", mapped, readable, there);
}

int main(int argc, char **argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1000;
  readings = dlsym(RTLD_DEFAULT, "readings");
  copies = dlsym(RTLD_DEFAULT, "copies");
  if (!readings || !copies) return 3;
  MPI_Init(&argc, &argv);
  char *made = strdup("made up");
  enter_and_leave("a literal", 100);
  enter_and_leave("a literal", times);
  enter_and_leave(made, 100);
  print_memory();
  MPI_Finalize();
  free(made);
  return 0;
}
