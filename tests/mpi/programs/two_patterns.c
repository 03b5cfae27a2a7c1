/* Two phases far apart, that load a network differently: first the lower three quarters of the processes call Alltoall
 * on a communicator of their own, then the upper half send around a ring. Before, between and after them all rest. Each
 * process tells when the pause in the middle began and ended (seconds after MPI_Init), and what is sent: the bytes of
 * a block and its calls of Alltoall, the bytes of a message and its messages. How much that is does not depend on the
 * machine; how long it takes does, but never less than 0.4 s. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { BLOCK = 20000, MESSAGE = 1000, MOST = 64, STEPS = 200, MESSAGES = 10 };
static const double step_s = 2e-3;
static char out[BLOCK * MOST], in[BLOCK * MOST];
static double origin;

static void rest(double seconds) {
  const struct timespec time = {0, (long)(seconds * 1e9)};
  if (seconds > 0) nanosleep(&time, NULL);
}

static double now(void) { return MPI_Wtime() - origin; }

static int call_alltoall(MPI_Comm comm) {
  const double begin = now();
  int calls = 0;
  for (; calls < STEPS; calls++) {
    MPI_Alltoall(out, BLOCK, MPI_BYTE, in, BLOCK, MPI_BYTE, comm);
    rest(begin + calls * step_s - now());
  }
  return calls;
}

static int send_around(MPI_Comm comm) {
  const double begin = now();
  int messages = 0, rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < MESSAGES; i++, messages++)
      MPI_Sendrecv(out, MESSAGE, MPI_BYTE, (rank + 1) % size, 5, in, MESSAGE, MPI_BYTE, (rank + size - 1) % size, 5,
                   comm, MPI_STATUS_IGNORE);
    rest(begin + step * step_s - now());
  }
  return messages;
}

int main(int argc, char **argv) {
  int rank, size, calls = 0, messages = 0;
  MPI_Comm lower, upper;
  MPI_Init(&argc, &argv);
  origin = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank < size * 3 / 4 ? 0 : MPI_UNDEFINED, rank, &lower);
  MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2 ? 0 : MPI_UNDEFINED, rank, &upper);
  MPI_Barrier(MPI_COMM_WORLD);
  rest(0.4);
  if (lower != MPI_COMM_NULL) calls = call_alltoall(lower);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = now();
  rest(0.4);
  const double end = now();
  MPI_Barrier(MPI_COMM_WORLD);
  if (upper != MPI_COMM_NULL) messages = send_around(upper);
  MPI_Barrier(MPI_COMM_WORLD);
  rest(0.4);
  printf("pause %d %.6f %.6f %d %d %d %d\n", rank, begin, end, BLOCK, calls, MESSAGE, messages);
  if (lower != MPI_COMM_NULL) MPI_Comm_free(&lower);
  if (upper != MPI_COMM_NULL) MPI_Comm_free(&upper);
  MPI_Finalize();
  return 0;
}
