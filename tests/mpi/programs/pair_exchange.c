/* Two ranks that exchange BYTES bytes by MPI_Sendrecv, STEPS times; rank 0 comes late. Before it, rank 1 is late to
 * receive what rank 0 sends. No eager limit could help: each needs the message of the other one. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  const int steps = atoi(argv[1]), bytes = atoi(argv[2]);
  char *out = calloc((size_t)bytes + 1024, 1), *in = calloc((size_t)bytes + 1024, 1);
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; ++i) {
    if (rank) {
      usleep(1000);
      MPI_Recv(in, 1024, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(out, 1024, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    }
  }
  for (int i = 0; i < steps; ++i) {
    usleep(rank == 0 ? 3000 : 500);
    MPI_Sendrecv(out, bytes, MPI_CHAR, 1 - rank, 0, in, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
