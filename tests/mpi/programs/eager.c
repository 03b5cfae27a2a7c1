// Two ranks send one message of 8 KiB to and fro, as often as told, for which many an MPI library has a handshake; or,
// without a number, all ranks compute for a third of a second and meet once.
#include <mpi.h>
#include <stdlib.h>

static void ping_pong(int rank, int rounds) {
  static char message[8192];
  for (int i = 0; i < 2 * rounds; i++) {
    if (i % 2 == rank)
      MPI_Send(message, sizeof message, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(message, sizeof message, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void compute(double seconds) {
  volatile double sum = 0;
  for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
    for (int i = 1; i < 1000; i++) sum += 1.0 / i;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && rank < 2) ping_pong(rank, atoi(argv[1]));
  if (argc < 2) compute(0.3);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
