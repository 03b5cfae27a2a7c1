// MPI_Finalize, which one of four ranks comes to late or never, in some way that is told as argument; the others come
// with whatever a program may leave open. Each tells when it has left. tests/mpi/test_finalize.py knows what follows.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GUILTY = 2 };

static int rank;
static int received[2];

// Nothing that Rankwise does may come to the program's own handler.
static void handle(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  printf("rank %d: error %d\n", rank, *code);
  fflush(stdout);
}

static void finalize(void) {
  const char *passed_on = getenv("RANKWISE_CLOCK_SYNC");
  MPI_Finalize();
  printf("rank %d: finalized, received %d, other jobs get \"%s\"\n", rank, received[0] + received[1], passed_on);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  const char *way = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  // Receives of anything, one of them cancelled; that is never looked at.
  MPI_Request requests[2];
  for (int i = 0; i < 2; i++)
    MPI_Irecv(&received[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
  MPI_Cancel(&requests[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == GUILTY) {
    const struct timespec nap = {1, 500000000};  // longer than anybody waits for it
    if (strcmp(way, "kill") == 0) raise(SIGKILL);
    if (strcmp(way, "exit") == 0) exit(3);
    nanosleep(&nap, NULL);
    if (strcmp(way, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  }
  atexit(finalize);
  return 0;
}
