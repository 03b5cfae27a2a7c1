// busy SIGN: a ring of messages and an MPI_Allreduce again and again, until rank 0 sees the file SIGN. Rank 1 computes
// longer than the others.
#include <mpi.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 1000, LATE = 1 };

int main(int argc, char **argv) {
  static char out[BYTES];
  static char in[BYTES];
  int rank;
  int size;
  int stop = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct timespec pause = {0, 5000000};
  while (!stop) {
    const int seen = rank == 0 && access(argv[1], F_OK) == 0;
    if (rank == LATE) nanosleep(&pause, NULL);
    MPI_Sendrecv(out, BYTES, MPI_BYTE, (rank + 1) % size, 0, in, BYTES, MPI_BYTE, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&seen, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
