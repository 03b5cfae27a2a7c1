// Programs whose efficiency is known by construction. Each process prints "RANK RUN MPI": seconds from the end of
// MPI_Init to the begin of MPI_Finalize, and of them in MPI, by its own clock; processes compute by sleeping, since a
// late one must not need the processor that others may wait on.
//
//     efficient uneven    rank r computes for r + 1 units, in each of 6 steps; then all wait for the last
//     efficient chain     each computes when the one before it has sent, and sends to the next; then all wait
//     efficient nested    as uneven, in the region "outer"; the wait is in the region "inner" nested in it
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// So long that it changes nothing to be kept waiting for a few ms between two readings of clocks, theirs and ours.
enum { STEPS = 6, UNIT_US = 100000 };

static double in_mpi;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TIMED(call)              \
  do {                           \
    const double before = now(); \
    call;                        \
    in_mpi += now() - before;    \
  } while (0)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const double began = now();
  const char *how = argc > 1 ? argv[1] : "";
  const int is_nested = strcmp(how, "nested") == 0;
  int rank, size, token = 0;
  TIMED(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  TIMED(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int step = 0; step < STEPS; step++) {
    if (strcmp(how, "chain") == 0) {
      if (rank > 0) TIMED(MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      usleep(UNIT_US);
      if (rank + 1 < size) TIMED(MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD));
      TIMED(MPI_Barrier(MPI_COMM_WORLD));
      continue;
    }
    if (is_nested) MPI_Pcontrol(1, "outer");
    usleep((useconds_t)(UNIT_US * (rank + 1)));
    if (is_nested) MPI_Pcontrol(1, "inner");
    TIMED(MPI_Barrier(MPI_COMM_WORLD));
    if (is_nested) MPI_Pcontrol(-1, "inner");
    if (is_nested) MPI_Pcontrol(-1, "outer");
  }
  printf("%d %.9f %.9f\n", rank, now() - began, in_mpi);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
