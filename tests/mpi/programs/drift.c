/* A halo of two ranks by Irecv, Isend and Waitall, STEPS times; rank 0 comes late. Before it rank 1 has sent EXTRA
 * messages with the same tag, so that the two messages of a Waitall have numbers that differ by that; and it sends
 * RATIO messages for each one that it gets. Prints of each rank what it truly waited, by when the other one had sent:
 *
 *   waited RANK SECONDS OF_SECONDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 8 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  const int steps = atoi(argv[1]), extra = atoi(argv[2]), ratio = atoi(argv[3]);
  char out[8] = {0}, in[8];
  MPI_Request requests[MOST + 1];
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int peer = 1 - rank, sends = rank ? ratio : 1, receives = rank ? 1 : ratio;
  double *log = calloc((size_t)steps * 3, sizeof *log), *other = calloc((size_t)steps * 3, sizeof *other);
  for (int i = 0; i < extra; ++i) {
    if (rank)
      MPI_Send(out, 8, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(in, 8, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < steps; ++i) {
    for (const double until = now() + (rank == 0 ? 100e-6 : 0); now() < until;) {
    }
    int n = 0;
    while (n < receives) MPI_Irecv(in, 8, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[n++]);
    for (int k = 0; k < sends; ++k) {
      log[3 * i] = now();
      MPI_Isend(out, 8, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    log[3 * i + 1] = now();
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    log[3 * i + 2] = now();
  }
  MPI_Sendrecv(log, 3 * steps, MPI_DOUBLE, peer, 1, other, 3 * steps, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  double waited = 0, all = 0;
  for (int i = 0; i < steps; ++i) {
    const double length = log[3 * i + 2] - log[3 * i + 1], late = other[3 * i] - log[3 * i + 1];
    all += length;
    if (late > 0) waited += late < length ? late : length;
  }
  printf("waited %d %.6f %.6f\n", rank, waited, all);
  free(log);
  free(other);
  MPI_Finalize();
  return 0;
}
