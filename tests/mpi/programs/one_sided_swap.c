// MPI_Compare_and_swap between 4 processes, which lock rank 0 in turn. tests/mpi/test_one_sided.py knows each count.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long *memory, next, seen = -1;
  MPI_Win win;
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  *memory = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < size; turn++) {
    const long before = turn;
    next = turn + 1;
    if (turn == rank) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Compare_and_swap(&next, &before, &seen, MPI_LONG, 0, 0, win);
      MPI_Compare_and_swap(&next, &before, &seen, MPI_LONG, MPI_PROC_NULL, 0, win);
      MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return seen != rank;
}
