// An exchange in rows: a ring and an allgather among the ranks of a row, and occasionally a small sum over all ranks.
//
//   rows [BYTES] [ITERATIONS] [RANKS OF A ROW]
//
// A row is a set of consecutive ranks. If a row is on one node, only the sums leave the node.
#include <string.h>

#include "job_time.h"

enum { kSums = 128, kIterationsOfASum = 4 };

static void ring(MPI_Comm row, int rank, int size, char *out, char *in, int bytes) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Sendrecv(out, bytes, MPI_BYTE, next, 0, in, bytes, MPI_BYTE, previous, 0, row, MPI_STATUS_IGNORE);
  check(in[0] == previous && in[bytes - 1] == previous, "the ring");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int bytes = number(argc, argv, 1, 65536), iterations = number(argc, argv, 2, 100);
  const int length = number(argc, argv, 3, 2);
  int rank, size, at, count;
  MPI_Comm row;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank / length, rank, &row);
  MPI_Comm_rank(row, &at);
  MPI_Comm_size(row, &count);
  char *out = buffer((size_t)bytes), *in = buffer((size_t)bytes), *all = buffer((size_t)bytes * (size_t)count);
  memset(out, at, (size_t)bytes);
  double ones[kSums], sums[kSums];
  for (int i = 0; i < kSums; i++) ones[i] = 1;

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < iterations; i++) {
    ring(row, at, count, out, in, bytes);
    MPI_Allgather(out, bytes / 2, MPI_BYTE, all, bytes / 2, MPI_BYTE, row);
    if (i % kIterationsOfASum) continue;
    MPI_Allreduce(ones, sums, kSums, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check(sums[kSums - 1] == size, "the sum");
  }
  print_seconds(start);
  free(out);
  free(in);
  free(all);
  MPI_Comm_free(&row);
  MPI_Finalize();
  return 0;
}
