// What a Fourier transform of a grid does between its parts: fft BYTES NUMBERS ROUNDS. Every rank is in a row with the
// rank half of all ranks further on; in each round the two of a row transpose, an Alltoall of BYTES to each, and then
// all ranks add up NUMBERS.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[1]), numbers = atoi(argv[2]), rounds = atoi(argv[3]);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm row;
  MPI_Comm_split(MPI_COMM_WORLD, rank % (size / 2), rank, &row);
  char *data = calloc(4, (size_t)bytes + 1);
  int *own = calloc((size_t)numbers + 1, sizeof *own), *sum = calloc((size_t)numbers + 1, sizeof *sum);
  for (int round = 0; round < rounds; round++) {
    MPI_Alltoall(data, bytes, MPI_BYTE, data + 2 * (size_t)bytes, bytes, MPI_BYTE, row);
    MPI_Allreduce(own, sum, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  free(data);
  free(own);
  free(sum);
  MPI_Comm_free(&row);
  MPI_Finalize();
  return 0;
}
