// A grid of processes that exchange halos: halo ROWS COLUMNS BYTES ROUNDS REORDER. In each round every process sends
// BYTES to each of its neighbours, which are up to four: nothing goes around the edges. Prints the seconds of all
// rounds.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 6) MPI_Abort(MPI_COMM_WORLD, 2);
  const int dims[] = {atoi(argv[1]), atoi(argv[2])}, periods[] = {0, 0};
  const int bytes = atoi(argv[3]), rounds = atoi(argv[4]), reorder = atoi(argv[5]);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, &grid);
  if (grid != MPI_COMM_NULL) {
    int rank, neighbours[4];
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_shift(grid, 0, 1, &neighbours[0], &neighbours[1]);
    MPI_Cart_shift(grid, 1, 1, &neighbours[2], &neighbours[3]);
    char *room = calloc(8, (size_t)bytes + 1);
    MPI_Barrier(grid);
    const double start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
      MPI_Request requests[8];
      for (int i = 0; i < 4; i++) {
        MPI_Irecv(room + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, neighbours[i], 0, grid, &requests[i]);
        MPI_Isend(room + (size_t)(4 + i) * (size_t)bytes, bytes, MPI_BYTE, neighbours[i], 0, grid, &requests[4 + i]);
      }
      MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(grid);
    if (rank == 0) printf("%.6f\n", MPI_Wtime() - start);
    free(room);
    MPI_Comm_free(&grid);
  }
  MPI_Finalize();
  return 0;
}
