/* Three collectives whose messages make a figure: see figure.py. */
#include <mpi.h>
#include <stdlib.h>

enum { SMALL = 1024, BLOCK = 64, NUMBERS = 131072 };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double *mine = calloc(NUMBERS, sizeof *mine);
  double *all = calloc(NUMBERS, sizeof *all);
  if (mine == NULL || all == NULL || (size_t)size * BLOCK > NUMBERS * sizeof *mine) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Bcast(mine, SMALL, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(mine, all, NUMBERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Alltoall(mine, BLOCK, MPI_BYTE, all, BLOCK, MPI_BYTE, MPI_COMM_WORLD);
  free(mine);
  free(all);
  MPI_Finalize();
  return 0;
}
