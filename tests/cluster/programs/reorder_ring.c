// A ring that reorders itself: reorder_ring BYTES ROUNDS. In each round every process sends BYTES to the next one;
// after that, once more in the order that MPI_M_reorder finds.
#include <MPI_Monitoring.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "reorder_ring: not so: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static void ring(MPI_Comm comm, int bytes, int rounds) {
  int size;
  MPI_Comm_size(comm, &size);
  const int next = (rank_in(comm) + 1) % size, before = (rank_in(comm) + size - 1) % size;
  char *out = calloc((size_t)bytes, 1), *in = malloc((size_t)bytes);
  check(out && in, "there is memory");
  for (int round = 0; round < rounds; round++)
    MPI_Sendrecv(out, bytes, MPI_BYTE, next, 0, in, bytes, MPI_BYTE, before, 0, comm, MPI_STATUS_IGNORE);
  free(out);
  free(in);
}

int main(int argc, char **argv) {
  enum { MOST = 64 };
  MPI_M_msid session;
  MPI_Comm better;
  int k[MOST], size, block, found = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(argc == 3 && size <= MOST, "two arguments, and not too many processes");
  check(MPI_M_init() == MPI_SUCCESS, "MPI_M_init");
  check(MPI_M_start(MPI_COMM_WORLD, &session) == MPI_SUCCESS, "MPI_M_start");
  ring(MPI_COMM_WORLD, atoi(argv[1]), atoi(argv[2]));
  check(MPI_M_suspend(session) == MPI_SUCCESS, "MPI_M_suspend");
  check(MPI_M_reorder(session, MPI_COMM_WORLD, NULL, &better, k) == MPI_SUCCESS, "MPI_M_reorder");
  check(rank_in(better) == k[rank_in(MPI_COMM_WORLD)], "each has the rank that k says");
  ring(better, atoi(argv[1]), atoi(argv[2]));
  block = rank_in(MPI_COMM_WORLD);
  check(MPI_M_redistribute(&block, 1, &found, 1, MPI_INT, MPI_COMM_WORLD, k) == MPI_SUCCESS, "MPI_M_redistribute");
  check(found == rank_in(better), "each has the block of its new rank");
  MPI_Comm_free(&better);
  MPI_M_free(session);
  MPI_M_finalize();
  MPI_Finalize();
  return 0;
}
