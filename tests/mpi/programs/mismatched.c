// mismatched WHAT: a job that hangs, each rank after it has told its process id.
//   late        rank 0 never comes to the MPI_Allreduce of all others.
//   mismatched  ranks 0 and 1 are in MPI_Allreduce, rank 3 in MPI_Bcast, and rank 2 polls for a message of its own.
//   partners    rank 0 receives from 1, 1 waits for a request from 2, 2 sends synchronously to 3, 3 probes for any tag.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void sleep_for_ever(void) {
  const struct timespec pause = {0, 10000000};
  for (;;) nanosleep(&pause, NULL);
}

static void poll_for_ever(int *number) {
  MPI_Request request;
  int flag = 0;
  MPI_Irecv(number, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, &request);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void hang_with_partners(int rank, int *number) {
  MPI_Request request;
  if (rank == 0) MPI_Recv(number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) {
    MPI_Irecv(number, 1, MPI_INT, 2, 8, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 2) MPI_Ssend(number, 1, MPI_INT, 3, 9, MPI_COMM_WORLD);
  if (rank == 3) MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank;
  int number = 0;
  int sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  if (strcmp(argv[1], "partners") == 0) {
    hang_with_partners(rank, &number);
  } else if (strcmp(argv[1], "late") == 0) {
    if (rank == 0) sleep_for_ever();
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else {
    if (rank == 2) poll_for_ever(&number);
    if (rank == 3) MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
