// Partitioned communication from rank 0 to rank 1 on a duplicate of MPI_COMM_WORLD. How often rank 1 had to ask is up
// to the machine, so it prints "MPI_Parrived CALLS". tests/mpi/test_partitioned.py has the sizes. Says "none" where
// the library has no partitioned communication.
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

enum { ROUNDS = 3, PARTS = 4, EACH = 25, WHOLE = PARTS * EACH };

static int data[WHOLE];

static int send(MPI_Comm comm) {
  MPI_Request request;
  MPI_Psend_init(data, PARTS, EACH, MPI_INT, 1, 5, comm, MPI_INFO_NULL, &request);
  for (int round = 0; round < ROUNDS; round++) {
    MPI_Start(&request);
    for (int i = 0; i < WHOLE; i++) data[i] = 1000 * round + i;
    MPI_Pready(2, request);
    MPI_Pready_range(0, 1, request);
    MPI_Pready_list(1, (int[]){3}, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // inactive
  MPI_Request_free(&request);
  return 0;
}

// In fewer and larger partitions than they are sent.
static int receive(MPI_Comm comm) {
  int wrong = 0, calls = 0;
  MPI_Request request;
  MPI_Precv_init(data, PARTS / 2, 2 * EACH, MPI_INT, 0, 5, comm, MPI_INFO_NULL, &request);
  for (int round = 0; round < ROUNDS; round++) {
    MPI_Start(&request);
    for (int arrived = 0; !arrived; calls++) MPI_Parrived(request, 1, &arrived);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < WHOLE; i++) wrong += data[i] != 1000 * round + i;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // inactive
  MPI_Request_free(&request);
  printf("MPI_Parrived %d\n", calls);
  return wrong;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, wrong;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  wrong = rank == 0 ? send(comm) : receive(comm);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return wrong != 0;
}

#else

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  puts("none");
  MPI_Finalize();
  return 0;
}

#endif
