// Programs whose run time on an ideal network each computes itself, from its own clock: rank 0 prints "IDEAL SHARE",
// the run time on a network that moves everything in no time, by the run time. Processes compute by sleeping, since
// those who wait must not need their processor.
//
//     ideal moving    in turns one rank computes for longer; then all add up a number
//     ideal bulk      all compute for as long, and exchange much
//     ideal both      rank 1 computes for longer, and all exchange much
//     ideal ring      all compute for as long, and each sends much to the next
//     ideal wave      each waits for much from the one before, computes, and sends to the next; then all wait
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 40, CALLS = 3, BYTES = 400000 };

static int rank, size;
static double began[STEPS][CALLS], ended[STEPS][CALLS], start;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double ms) {
  struct timespec t = {0, (long)(ms * 1e6)};
  nanosleep(&t, NULL);
}

#define TIMED(step, place, call)                     \
  do {                                               \
    began[step][place] = ended[step][place] = now(); \
    call;                                            \
    ended[step][place] = now();                      \
  } while (0)

static double latest(const double *of) {
  double found = of[0];
  for (int r = 1; r < size; r++) found = of[r] > found ? of[r] : found;
  return found;
}

// Plays the calls of all ranks through, each of which ends when those that it needs have come.
static double ideal(const char *how, const double *starts, const double (*b)[STEPS][CALLS],
                    const double (*e)[STEPS][CALLS]) {
  double *clocks = calloc((size_t)size, sizeof *clocks), *sent = calloc((size_t)size, sizeof *sent);
  for (int i = 0; i < STEPS; i++) {
    for (int r = 0; r < size; r++) {
      clocks[r] += b[r][i][0] - (i ? e[r][i - 1][CALLS - 1] : starts[r]);
      sent[r] = clocks[r];
    }
    const double last = latest(clocks);
    for (int r = 0; r < size; r++) {
      if (strcmp(how, "wave") == 0) {
        if (r > 0 && sent[r - 1] > clocks[r]) clocks[r] = sent[r - 1];
        clocks[r] += b[r][i][1] - e[r][i][0];
        sent[r] = clocks[r];
        clocks[r] += b[r][i][2] - e[r][i][1];
      } else if (strcmp(how, "ring") == 0) {
        const double other = sent[(r + size - 1) % size];
        clocks[r] = other > clocks[r] ? other : clocks[r];
      } else {
        clocks[r] = last;
      }
    }
    if (strcmp(how, "wave") == 0) {
      const double all = latest(clocks);
      for (int r = 0; r < size; r++) clocks[r] = all;
    }
  }
  const double found = latest(clocks);
  free(clocks);
  free(sent);
  return found;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *how = argc > 1 ? argv[1] : "";
  const int is_wave = strcmp(how, "wave") == 0, is_ring = strcmp(how, "ring") == 0;
  const int is_both = strcmp(how, "both") == 0, is_bulk = strcmp(how, "bulk") == 0 || is_both;
  char *out = calloc((size_t)size, BYTES), *in = calloc((size_t)size, BYTES);
  double one = 1, sum;
  MPI_Barrier(MPI_COMM_WORLD);
  start = now();
  for (int i = 0; i < STEPS; i++) {
    const int is_longer = is_both ? rank == 1 : !is_bulk && !is_ring && !is_wave && i % size == rank;
    compute(is_longer ? 12 : 4);
    if (is_wave) {
      const int from = rank ? rank - 1 : MPI_PROC_NULL, to = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
      TIMED(i, 0, MPI_Recv(in, BYTES, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      compute(4);
      TIMED(i, 1, MPI_Send(out, BYTES, MPI_CHAR, to, 0, MPI_COMM_WORLD));
      TIMED(i, 2, MPI_Barrier(MPI_COMM_WORLD));
      continue;
    }
    if (is_bulk) {
      TIMED(i, 0, MPI_Alltoall(out, BYTES, MPI_CHAR, in, BYTES, MPI_CHAR, MPI_COMM_WORLD));
    } else if (is_ring) {
      TIMED(i, 0,
            MPI_Sendrecv(out, BYTES, MPI_CHAR, (rank + 1) % size, 0, in, BYTES, MPI_CHAR, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
      TIMED(i, 0, MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    }
    for (int place = 1; place < CALLS; place++) began[i][place] = ended[i][place] = ended[i][0];
  }
  double took = now() - start, longest, *starts = calloc((size_t)size, sizeof *starts);
  double(*b)[STEPS][CALLS] = calloc((size_t)size, sizeof *b), (*e)[STEPS][CALLS] = calloc((size_t)size, sizeof *e);
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Gather(&start, 1, MPI_DOUBLE, starts, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Gather(began, STEPS * CALLS, MPI_DOUBLE, b, STEPS * CALLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Gather(ended, STEPS * CALLS, MPI_DOUBLE, e, STEPS * CALLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("IDEAL %.4f\n", ideal(how, starts, b, e) / longest);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
