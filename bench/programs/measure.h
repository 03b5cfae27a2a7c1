// Shared by the programs: clocks, rows of short batches, memory, and output lines.
#ifndef RANKWISE_BENCH_MEASURE_H
#define RANKWISE_BENCH_MEASURE_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static FILE *out;      // JSON lines
static uint64_t sink;  // keeps the clock reads from being optimised away

static inline double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline uint64_t ticks(void) {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#else
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

// Each batch makes `calls` of its calls and returns the nanoseconds that they took together.
#define TIMED(calls, statement)                  \
  do {                                           \
    const double start = now_ns();               \
    for (int i = 0; i < (calls); i++) statement; \
    return now_ns() - start;                     \
  } while (0)

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts the batches of a row and writes its line.
static inline void print_row(const char *name, double *ns, int batches, int calls) {
  qsort(ns, (size_t)batches, sizeof(double), ascending);
  fprintf(out, "{\"row\": \"%s\", \"min_ns\": %.3f, \"median_ns\": %.3f, \"batches\": %d, \"calls\": %d}\n", name,
          ns[0], ns[batches / 2], batches, calls);
}

// A "VmRSS:" or "VmHWM:" line of the kernel's account of this process; -1 if it is missing.
static inline long status_kb(const char *key) {
  char line[256];
  long kb = -1;
  FILE *f = fopen("/proc/self/status", "r");
  if (!f) return -1;
  while (fgets(line, sizeof line, f))
    if (!strncmp(line, key, strlen(key))) kb = strtol(line + strlen(key), NULL, 10);
  fclose(f);
  return kb;
}

static inline void print_memory(const char *when) {
  fprintf(out, "{\"memory\": \"%s\", \"rss_kb\": %ld, \"hwm_kb\": %ld}\n", when, status_kb("VmRSS:"),
          status_kb("VmHWM:"));
}

// Opens OUT.<rank>, the first argument.
static inline void open_out(int argc, char **argv, int rank) {
  char path[4096];
  if (argc >= 2) snprintf(path, sizeof path, "%s.%d", argv[1], rank);
  out = argc >= 2 ? fopen(path, "w") : NULL;
  if (!out) {
    fprintf(stderr, "usage: %s OUT [ROUNDS]; OUT.<rank> must be writable\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

// The second argument: the number of batches per row.
static inline int rounds_of(int argc, char **argv) {
  const int rounds = argc >= 3 ? atoi(argv[2]) : 300;
  return rounds < 1 ? 1 : rounds;
}

#endif
