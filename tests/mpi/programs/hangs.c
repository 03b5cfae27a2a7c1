// hangs SIGN: three ranks on a communicator of their own; one of them does not come to the barrier before the file SIGN
// is there. The last rank is not part of it, and waits for a message of rank 0 that comes after the barrier.
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PARTNERS = 3, LATE = 2 };

int main(int argc, char **argv) {
  int rank;
  int number = 0;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / PARTNERS, 0, &comm);
  const struct timespec pause = {0, 10000000};
  while (rank == LATE && access(argv[1], F_OK) != 0) nanosleep(&pause, NULL);
  if (rank == LATE) fprintf(stderr, "late no more\n");
  if (rank == PARTNERS) MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, PARTNERS, 7, MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
