// Threads that put, get and wait at the same time, each on a window of its own, between 2 processes. Says "not
// provided" and does nothing where the library has no MPI_THREAD_MULTIPLE. tests/mpi/test_one_sided.py has the same
// numbers.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 100, ROOM = 200 };

static MPI_Win window[THREADS];
static int rank;

// Puts t + 1 ints and gets t + 2 in each round.
static void *busy(void *argument) {
  const int t = (int)(long)argument;
  int data[ROOM] = {0};
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window[t]);
    MPI_Put(data, t + 1, MPI_INT, 1 - rank, 0, t + 1, MPI_INT, window[t]);
    MPI_Win_flush(1 - rank, window[t]);
    MPI_Get(data, t + 2, MPI_INT, 1 - rank, 100, t + 2, MPI_INT, window[t]);
    MPI_Win_unlock(1 - rank, window[t]);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (provided == MPI_THREAD_MULTIPLE) {
    MPI_Comm own[THREADS];
    int *memory;
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++) {
      MPI_Comm_dup(MPI_COMM_WORLD, &own[t]);
      MPI_Win_allocate(ROOM * sizeof(int), sizeof(int), MPI_INFO_NULL, own[t], &memory, &window[t]);
    }
    for (long t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, busy, (void *)t);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) MPI_Win_free(&window[t]);
  } else {
    printf("not provided\n");
  }
  MPI_Finalize();
  return 0;
}
