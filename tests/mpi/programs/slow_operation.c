/* Reductions whose operation sleeps inside of the collective: SLOW_MS milliseconds in all on the communicator "slow",
 * a constant time on "steady". */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 5, STEADY_MS = 100 };

static long nanoseconds; /* that the operation sleeps */

static void sleep_in(void *in, void *inout, int *length, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int *)inout)[i] += ((int *)in)[i];
  const struct timespec pause = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  nanosleep(&pause, NULL);
}

static void reduce_on(MPI_Comm communicator, MPI_Op operation, long milliseconds) {
  nanoseconds = milliseconds * 1000000 / CALLS;
  for (int call = 0; call < CALLS; ++call) {
    int mine = call, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, operation, communicator);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const char *given = getenv("SLOW_MS");
  MPI_Op operation;
  MPI_Op_create(sleep_in, 1, &operation);
  MPI_Comm slow, steady;
  MPI_Comm_dup(MPI_COMM_WORLD, &slow);
  MPI_Comm_dup(MPI_COMM_WORLD, &steady);
  MPI_Comm_set_name(slow, "slow");
  MPI_Comm_set_name(steady, "steady");
  reduce_on(steady, operation, STEADY_MS);
  reduce_on(slow, operation, given ? atol(given) : 0);
  MPI_Comm_free(&steady);
  MPI_Comm_free(&slow);
  MPI_Op_free(&operation);
  MPI_Finalize();
  return 0;
}
