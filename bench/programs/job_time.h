// Shared by the programs for bench/reorder: the time of the slowest rank, and the exit on an error.
#ifndef RANKWISE_BENCH_JOB_TIME_H
#define RANKWISE_BENCH_JOB_TIME_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// Rank 0 gets the largest of all ranks' values.
static inline double slowest(double mine) {
  double all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return all;
}

static inline void print_seconds(double since) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double seconds = slowest(MPI_Wtime() - since);
  if (rank == 0) printf("seconds %.6f\n", seconds);
}

static inline void check(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "wrong: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// The argument with this number as a positive integer, or else the default.
static inline int number(int argc, char **argv, int which, int usual) {
  const int given = which < argc ? atoi(argv[which]) : usual;
  return given > 0 ? given : usual;
}

static inline char *buffer(size_t bytes) {
  char *made = calloc(bytes ? bytes : 1, 1);
  check(made != NULL, "no memory");
  return made;
}

// All connections exist before the first measurement.
static inline void connect_all(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char *out = buffer((size_t)size), *in = buffer((size_t)size);
  MPI_Alltoall(out, 1, MPI_BYTE, in, 1, MPI_BYTE, MPI_COMM_WORLD);
  free(out);
  free(in);
}

#endif
