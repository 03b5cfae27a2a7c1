/* CALLS broadcasts of BYTES bytes each from rank 0, on a communicator that is named "mine". */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int calls = argc > 2 ? atoi(argv[1]) : 0;
  const int bytes = argc > 2 ? atoi(argv[2]) : 0;
  char *data = calloc(1, (size_t)bytes + 1);
  MPI_Comm mine;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  MPI_Comm_set_name(mine, "mine");
  for (int call = 0; call < calls; ++call) MPI_Bcast(data, bytes, MPI_BYTE, 0, mine);
  MPI_Barrier(mine);
  MPI_Comm_free(&mine);
  free(data);
  MPI_Finalize();
  return 0;
}
