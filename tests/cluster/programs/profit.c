// profit REPETITIONS BLOCK: pairs of ranks exchange messages, then MPI_M_reorder_if_profitable decides by the numbers
// of repetitions and of bytes to hand over. If it reorders, it decides twice more: for the same pairs, and for others.
// Rank 0 prints a line for each decision.
#include <MPI_Monitoring.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 100000, RANKS = 6 };

static void check(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "profit: not so: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// The communicator in which the work goes on.
static MPI_Comm decide(MPI_Comm comm, int pairs_are_neighbours, MPI_M_forecast *forecast) {
  static char out[BYTES], in[BYTES];
  MPI_M_msid session;
  MPI_Comm optimised;
  int rank, own, k[RANKS];
  MPI_Comm_rank(comm, &rank);
  const int partner = pairs_are_neighbours ? rank ^ 1 : (rank + RANKS / 2) % RANKS;
  check(MPI_M_start(comm, &session) == MPI_SUCCESS, "MPI_M_start");
  for (int i = 0; i < 3; i++)
    MPI_Sendrecv(out, BYTES, MPI_BYTE, partner, 0, in, BYTES, MPI_BYTE, partner, 0, comm, MPI_STATUS_IGNORE);
  MPI_M_suspend(session);
  check(MPI_M_reorder_if_profitable(session, comm, NULL, forecast, &optimised, k) == MPI_SUCCESS,
        "MPI_M_reorder_if_profitable");
  MPI_M_free(session);
  if (rank == 0) printf("%s\n", forecast->reason);
  if (!forecast->reordered) return comm;
  MPI_Comm_rank(optimised, &own);
  check(own == k[rank], "each has the rank that k says");
  return optimised;
}

int main(int argc, char **argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(argc == 3 && size == RANKS, "two arguments and six ranks");
  check(MPI_M_init() == MPI_SUCCESS, "MPI_M_init");
  MPI_M_forecast forecast = {.repetitions = atof(argv[1]), .bytes = atof(argv[2])};
  MPI_Comm comm = decide(MPI_COMM_WORLD, 1, &forecast);
  if (comm != MPI_COMM_WORLD) {
    comm = decide(comm, 1, &forecast);
    check(!forecast.reordered, "the pattern is the same");
    decide(comm, 0, &forecast);
  }
  MPI_M_finalize();
  MPI_Finalize();
  return 0;
}
