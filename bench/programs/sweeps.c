// Short calls on many communicators, in sweeps repeated for some seconds: the longest sweep, and the longest sleep in a
// sweep.
//
//     mpirun -n P ./sweeps OUT SECONDS
//
// Each rank has private communicators and waits for no other rank. A long sweep may be due to the scheduler. A sleep is
// not: then the process waits for something in the kernel, such as a file system.

#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure.h"

enum { kCommunicators = 300, kMostSweeps = 1 << 22 };

static MPI_Comm comms[kCommunicators];
static float longest_first[kMostSweeps];  // ms

static void sweep(void) {
  double value = 1, in;
  for (int c = 0; c < kCommunicators; c++) {
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, comms[c]);
    MPI_Allreduce(&value, &in, 1, MPI_DOUBLE, MPI_SUM, comms[c]);
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, 0, 0, &in, 1, MPI_DOUBLE, 0, 0, comms[c], MPI_STATUS_IGNORE);
    MPI_Barrier(comms[c]);
  }
}

// How often this thread has gone to sleep; losing the processor to another thread does not count.
static long sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

// Time in which this thread ran, or waited for a processor.
static double awake_ns(int schedstat) {
  char line[128] = "";
  unsigned long long ran = 0, waited = 0;
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  if (pread(schedstat, line, sizeof line - 1, 0) <= 0 || sscanf(line, "%llu %llu", &ran, &waited) != 2) return -1;
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec + (double)waited;  // `ran` is updated at each tick
}

static int descending(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x < y) - (x > y);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_out(argc, argv, rank);
  const double seconds = argc >= 3 ? atof(argv[2]) : 20;
  for (int c = 0; c < kCommunicators; c++) MPI_Comm_dup(MPI_COMM_SELF, &comms[c]);
  const int schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
  sweep();

  int sweeps = 0;
  double longest_sleep = 0;
  const double end = now_ns() + seconds * 1e9;
  double awake = awake_ns(schedstat), start = now_ns();
  long slept = sleeps();
  while (start < end && sweeps < kMostSweeps) {
    sweep();
    const double stop = now_ns(), awake_now = awake_ns(schedstat);
    const long slept_now = sleeps();
    longest_first[sweeps++] = (float)((stop - start) / 1e6);
    const double asleep = (stop - start) - (awake_now - awake);
    if (slept_now != slept && asleep > longest_sleep) longest_sleep = asleep;
    awake = awake_ns(schedstat), start = now_ns(), slept = sleeps();
  }
  qsort(longest_first, (size_t)sweeps, sizeof longest_first[0], descending);
  fprintf(out, "{\"sweeps\": %d, \"longest_ms\": %.6f, \"thousandth_ms\": %.6f, \"median_us\": %.3f", sweeps,
          longest_first[0], longest_first[sweeps / 1000], longest_first[sweeps / 2] * 1e3);
  if (awake >= 0) fprintf(out, ", \"longest_sleep_ms\": %.6f", longest_sleep / 1e6);
  fprintf(out, "}\n");
  fclose(out);
  MPI_Finalize();
  return sink == 1;  // never true, but the compiler doesn't know
}
