// Calls a function of a library by three ways, in 6, 3 and 1 of 10 calls; tests/mpi/test_paths.py.
//
// usage: paths TENS [threads]
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

double sum_over_ranks(double value, MPI_Comm comm);

static __thread volatile double sink;
static int tens;

__attribute__((noinline)) static void solve(MPI_Comm comm) { sink = sum_over_ranks(1, comm) + sink; }

__attribute__((noinline)) static void norm(MPI_Comm comm) {
  char room[100];  // a frame that is not empty
  memset(room, 1, sizeof room);
  sink = sum_over_ranks(room[tens % 100], comm) + sink;
}

__attribute__((noinline)) static void output(MPI_Comm comm) { sink = sum_over_ranks(3, comm) + sink; }

__attribute__((noinline)) static void step(MPI_Comm comm, int i) {
  if (i % 10 == 9) {
    output(comm);
  } else if (i % 10 < 6) {
    solve(comm);
  } else {
    norm(comm);
  }
  MPI_Barrier(comm);  // the program's own calls: else the library would count as the program
  sink = sink + 1;
}

static void *work(void *comm) {
  for (int i = 0; i < 10 * tens; i++) step(*(MPI_Comm *)comm, i);
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  tens = atoi(argv[1]);
  MPI_Comm comms[2];
  for (int i = 0; i < 2; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  if (argc > 2) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &comms[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  } else {
    work(&comms[0]);
  }
  for (int i = 0; i < 2; i++) MPI_Comm_free(&comms[i]);
  MPI_Finalize();
  return 0;
}
