// Ranks that come late by construction. Each process prints "RANK SECONDS": how long it computed, by its own clock;
// processes compute by sleeping, since a late one must not need the processor that others may wait on.
//
//     late_groups two STEPS      the last two ranks compute for ten times as long as the others, the last of them for a
//                                little longer; then Allreduce
//     late_groups none STEPS     the same, but no rank computes for longer
//     late_groups root STEPS     rank 0 computes for ten times as long as the others; then it is the root of a Reduce,
//                                and all come to a Barrier
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// So long that a process that lost its processor to another one for some ms is not late for that.
enum { UNIT_US = 10000, LATE_UNITS = 10, LITTLE_US = 5000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const char *how = argc > 1 ? argv[1] : "";
  const int steps = argc > 2 ? atoi(argv[2]) : 100;
  int rank, size;
  double value = 1, sum = 0, computed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < steps; step++) {
    const double before = now();
    if (strcmp(how, "root") != 0) {
      const int late = rank >= size - 2 && strcmp(how, "two") == 0;
      usleep((useconds_t)(late ? LATE_UNITS * UNIT_US + LITTLE_US * (rank == size - 1) : UNIT_US));
      computed += now() - before;
      MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      continue;
    }
    usleep((useconds_t)(rank == 0 ? LATE_UNITS * UNIT_US : UNIT_US));
    computed += now() - before;
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("%d %.9f\n", rank, computed);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
