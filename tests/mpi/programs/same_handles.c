// Threads that complete requests by every call that may find some of them not complete, while others post theirs: MPI
// gives a completed request's handle to the next. One rank sends to itself; each thread has a communicator and a size
// of its own. tests/mpi/test_threads.py has the figures.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 6, ROUNDS = 10000 };

static MPI_Comm comms[THREADS];
static pthread_barrier_t together;

static void complete(int round, MPI_Request *requests) {
  int flag = 0, index, count, indices[2], left = 2;
  while (left > 0) {
    switch (round % 5) {
      case 0:
        for (int i = 0; i < 2; i++) {
          for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        }
        left = 0;
        break;
      case 1:
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        left--;
        break;
      case 2:
        MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
        left -= count;
        break;
      case 3:
        MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
        left -= flag;
        break;
      default:
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        left -= 2 * flag;
    }
  }
}

static void *work(void *number) {
  const int thread = *(const int *)number, bytes = 1 << thread;
  char data[1 << THREADS] = {0}, room[1 << THREADS];
  pthread_barrier_wait(&together);
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Request requests[2];
    MPI_Irecv(room, sizeof room, MPI_BYTE, 0, 0, comms[thread], &requests[0]);
    MPI_Isend(data, bytes, MPI_BYTE, 0, 0, comms[thread], &requests[1]);
    complete(i, requests);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int provided, numbers[THREADS];
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    puts("MPI_THREAD_MULTIPLE is not provided");
  } else {
    for (int t = 0; t < THREADS; t++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    pthread_barrier_init(&together, NULL, THREADS);
    for (int t = 0; t < THREADS; t++) {
      numbers[t] = t;
      pthread_create(&threads[t], NULL, work, &numbers[t]);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  }
  MPI_Finalize();
  return 0;
}
