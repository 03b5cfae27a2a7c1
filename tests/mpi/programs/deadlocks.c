// deadlocks WHAT: a job that hangs in a known way, each rank after it has told its process id; on three ranks or more.
//   cycle     rank 1 receives from 2, 2 from 1; the others are in MPI_Barrier.
//   tag       rank 0 receives tag 7 from 1, which has sent it tag 8 and is in MPI_Barrier, as all others are.
//   barrier   rank 1 never comes to the MPI_Barrier of all others.
//   bcast     rank 0, the root, leaves the MPI_Bcast of all others out, and is in MPI_Barrier.
//   iallreduce  rank 2 does not call the MPI_Iallreduce for which all others wait, and is outside of MPI.
//   waitall   rank 0 waits for messages of all others; rank 2 sends none, and is in MPI_Barrier.
//   send      rank 0 sends to 1, synchronously; 1 has come to MPI_Finalize, as all others have.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 };

static int rank, size;
static int data[MOST];

static int is(const char *what, const char *other) { return strcmp(what, other) == 0; }

static void sleep_for_ever(void) {
  const struct timespec pause = {0, 10000000};
  for (;;) nanosleep(&pause, NULL);
}

static void receive(int source, int tag) { MPI_Recv(data, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void reduce_without_one(void) {
  int sum;
  MPI_Request request;
  if (rank == 2) sleep_for_ever();
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_from_all(void) {
  MPI_Request requests[MOST];
  MPI_Status statuses[MOST];
  int count = 0;
  if (rank == 0) {
    for (int i = 1; i < size; i++) MPI_Irecv(&data[i], 1, MPI_INT, i, 3, MPI_COMM_WORLD, &requests[count++]);
    MPI_Waitall(count, requests, statuses);
  } else if (rank != 2) {
    MPI_Send(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  if (is(what, "cycle") && (rank == 1 || rank == 2)) receive(3 - rank, 7);
  if (is(what, "tag") && rank == 0) receive(1, 7);
  if (is(what, "tag") && rank == 1) MPI_Send(data, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
  if (is(what, "barrier") && rank == 1) sleep_for_ever();
  if (is(what, "bcast") && rank != 0) MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (is(what, "iallreduce")) reduce_without_one();
  if (is(what, "waitall")) receive_from_all();
  if (is(what, "send") && rank == 0) MPI_Ssend(data, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
  if (!is(what, "send")) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
