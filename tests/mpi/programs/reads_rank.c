// Prints what the launcher's variable says and the rank in MPI_COMM_WORLD: "3 is 3". With an argument the variable is
// read before MPI_Init. Ranks 2 n and 2 n + 1 exchange messages.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int launched(void) {
  const char *value = getenv("OMPI_COMM_WORLD_RANK");
  if (!value) value = getenv("PMI_RANK");
  return value ? atoi(value) : -1;
}

int main(int argc, char **argv) {
  static char out[1000], in[1000];
  int before = argc > 1 ? launched() : -1, rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if ((rank ^ 1) < size)
    MPI_Sendrecv(out, sizeof out, MPI_CHAR, rank ^ 1, 0, in, sizeof in, MPI_CHAR, rank ^ 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  printf("%d is %d\n", argc > 1 ? before : launched(), rank);
  MPI_Finalize();
  return 0;
}
