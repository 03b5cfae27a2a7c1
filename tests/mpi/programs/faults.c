// A job that goes wrong after a known number of calls: faults WHAT VICTIM. Before, each rank makes ROUNDS sends,
// receives and MPI_Allreduce, and no rank goes on before all have done so. tests/mpi/test_faults.py knows the figures.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROUNDS = 10, BYTES = 100 };

static char data[BYTES];
static char room[BYTES];

static void known_calls(int rank, int size) {
  for (int i = 0; i < ROUNDS; i++) {
    double value = rank;
    MPI_Request request;
    MPI_Irecv(room, BYTES, MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Send(data, BYTES, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

// Calls of many kinds, so that the tables must grow: a communicator each, all sizes on each.
static void many_rows(int communicators) {
  static char large[1 << 12];
  for (int i = 0; i < communicators; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int bytes = 1; bytes <= (int)sizeof large; bytes *= 2) MPI_Bcast(large, bytes, MPI_BYTE, 0, comm);
    MPI_Comm_free(&comm);
  }
}

static void go_wrong(const char *what) {
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(what, "kill") == 0) raise(SIGKILL);
  if (strcmp(what, "exit") == 0) exit(3);
  if (strcmp(what, "segfault") == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    *(volatile int *)8 = 1;
  }
  // "hang": nobody ever sends this.
  MPI_Recv(room, BYTES, MPI_BYTE, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  int rank;
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  known_calls(rank, size);
  if (strcmp(what, "rows") == 0) {
    many_rows(number);
  } else if (strcmp(what, "sleep") == 0) {
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    sleep((unsigned)number);
  } else if (strcmp(what, "") != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "hang") == 0) {
      printf("ready %d\n", (int)getpid());
      fflush(stdout);
    }
    if (rank == number) go_wrong(what);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d is done\n", rank);
  MPI_Finalize();
  return 0;
}
