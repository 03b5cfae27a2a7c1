// Partners exchange messages: ranks 0 and 1, 2 and 3, ... Arguments: bytes of a message, number of messages.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 1);
  const int size = atoi(argv[1]);
  const int rounds = atoi(argv[2]);
  char *data = calloc(2, (size_t)size);
  if (data == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < rounds; i++) {
    MPI_Sendrecv(data, size, MPI_BYTE, rank ^ 1, 0, data + size, size, MPI_BYTE, rank ^ 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  free(data);
  MPI_Finalize();
  return 0;
}
