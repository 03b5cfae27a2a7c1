// A halo exchange on a periodic grid that asks MPI_Cart_create for reordering.
//
//   halo [BYTES OF A FACE] [ITERATIONS]
#include <string.h>

#include "job_time.h"

enum { kAxes = 2, kSides = 2 * kAxes };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int bytes = number(argc, argv, 1, 65536), iterations = number(argc, argv, 2, 50);
  int size, rank, lengths[kAxes] = {0}, periods[kAxes] = {1, 1}, neighbours[kSides];
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, kAxes, lengths);
  MPI_Cart_create(MPI_COMM_WORLD, kAxes, lengths, periods, 1, &grid);
  check(grid != MPI_COMM_NULL, "the grid does not take all ranks");
  MPI_Comm_rank(grid, &rank);
  for (int axis = 0; axis < kAxes; axis++)
    MPI_Cart_shift(grid, axis, 1, &neighbours[2 * axis], &neighbours[2 * axis + 1]);
  char *out = buffer((size_t)bytes * kSides), *in = buffer((size_t)bytes * kSides);
  memset(out, rank, (size_t)bytes * kSides);

  MPI_Barrier(grid);
  const double start = MPI_Wtime();
  for (int i = 0; i < iterations; i++) {
    MPI_Neighbor_alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, grid);
    for (int side = 0; side < kSides; side++)
      check(in[(size_t)bytes * (size_t)(side + 1) - 1] == neighbours[side], "the halo");
  }
  print_seconds(start);
  free(out);
  free(in);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
