/* The communication of a 3-D Fourier transform, CALLS times: transposes on the rows and columns of a grid of
   ranks (pencils), or on all ranks at once (slabs). Each rank gives BLOCK bytes to each other one of its row,
   then of its column. Usage: fft CALLS BLOCK [COLUMNS]; COLUMNS ranks are a row; without it, slabs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void transpose(MPI_Comm over, int block, const char *from, char *to) {
  MPI_Alltoall(from, block, MPI_BYTE, to, block, MPI_BYTE, over);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int calls = argc > 1 ? atoi(argv[1]) : 1;
  const int block = argc > 2 ? atoi(argv[2]) : 1024;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = argc > 3 ? atoi(argv[3]) : size;
  char *from = malloc((size_t)size * block), *to = malloc((size_t)size * block);
  memset(from, rank, (size_t)size * block);
  MPI_Comm row, column;
  MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column);
  for (int call = 0; call < calls; ++call) {
    transpose(row, block, from, to);
    transpose(column, block, to, from);
  }
  double sum = from[0], all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  free(from);
  free(to);
  if (rank == 0) printf("fft ends\n");
  MPI_Finalize();
  return 0;
}
