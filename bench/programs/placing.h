/* Shared by the bench programs that place the ranks of a graph. */
#ifndef RANKWISE_BENCH_PLACING_H
#define RANKWISE_BENCH_PLACING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LEVELS = 16 };

static const char *program_name;

static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", program_name, what);
  exit(1);
}

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* kB, as the kernel reports for this process. */
static long memory(const char *what) {
  char line[256];
  long kb = -1;
  FILE *file = fopen("/proc/self/status", "r");
  if (!file) fail("no /proc/self/status");
  while (fgets(line, sizeof line, file))
    if (strncmp(line, what, strlen(what)) == 0) kb = strtol(strchr(line, ':') + 1, NULL, 10);
  fclose(file);
  return kb;
}

#endif
