// Polling calls: FEW and MANY that find nothing, each kind on a communicator of its own. Prints how long they took.

#include <mpi.h>
#include <stdio.h>

enum { FEW = 1000, MANY = 50000 };

static void poll(const char *on, int calls, MPI_Comm comm) {
  MPI_Request request;
  int in, out = 1, flag;
  MPI_Irecv(&in, 1, MPI_INT, 0, 1, comm, &request);
  double start = MPI_Wtime();
  for (int i = 0; i < calls; i++) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  printf("MPI_Test %s %.9f\n", on, MPI_Wtime() - start);
  start = MPI_Wtime();
  for (int i = 0; i < calls; i++) MPI_Iprobe(0, 2, comm, &flag, MPI_STATUS_IGNORE);
  printf("MPI_Iprobe %s %.9f\n", on, MPI_Wtime() - start);
  MPI_Send(&out, 1, MPI_INT, 0, 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(void) {
  MPI_Comm copy;
  MPI_Init(NULL, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  poll("W", FEW, MPI_COMM_WORLD);
  poll("W_d1", MANY, copy);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return 0;
}
