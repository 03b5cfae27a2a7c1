// Threads that call MPI at the same time, threads that come and go, and a receive that is posted by one thread and
// completed by another. Two ranks. Says "not provided" and does nothing where the library has no MPI_THREAD_MULTIPLE.
// tests/mpi/test_threads.py has the same numbers.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 16, MESSAGES = 60, SUMS = 5, SHORT_LIVED = 120, AT_ONCE = 4, HANDED_OVER = 20, ROOM = 5000 };

static MPI_Comm own[THREADS];
static int rank, failures;

// Each thread sends (i + 10 t + 100 rank) bytes as message i, and receives into room that is larger.
static void *busy(void *argument) {
  const int t = (int)(long)argument;
  char data[ROOM], room[ROOM];
  for (int i = 0; i < ROOM; i++) data[i] = (char)t;
  for (int i = 0; i < MESSAGES; i++) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(room, ROOM, MPI_BYTE, 1 - rank, i, own[t], &requests[0]);
    MPI_Isend(data, i + 10 * t + 100 * rank, MPI_BYTE, 1 - rank, i, own[t], &requests[1]);
    MPI_Waitall(2, requests, i % 2 ? statuses : MPI_STATUSES_IGNORE);
    if (i % 2) {
      int count;
      MPI_Get_count(&statuses[0], MPI_BYTE, &count);
      if (count != i + 10 * t + 100 * (1 - rank)) __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    }
  }
  for (int i = 0; i < SUMS; i++) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, own[t]);
    if (sum != 2) __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

static void *short_lived(void *argument) {
  const int i = (int)(long)argument;
  char data[100] = "", room[100];
  MPI_Sendrecv(data, i % 100, MPI_BYTE, 1 - rank, i, room, 100, MPI_BYTE, 1 - rank, i, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  return NULL;
}

static void *completes(void *request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
  return NULL;
}

static void in_thread(void *(*function)(void *), void *argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, argument);
  pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (provided == MPI_THREAD_MULTIPLE) {
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++) MPI_Comm_dup(MPI_COMM_WORLD, &own[t]);
    for (long t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, busy, (void *)t);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) MPI_Comm_free(&own[t]);

    for (long i = 0; i < SHORT_LIVED; i += AT_ONCE) {
      for (int t = 0; t < AT_ONCE; t++) pthread_create(&threads[t], NULL, short_lived, (void *)(i + t));
      for (int t = 0; t < AT_ONCE; t++) pthread_join(threads[t], NULL);
    }

    for (int i = 0; i < HANDED_OVER; i++) {
      char data[ROOM] = "";
      if (rank == 0) {
        MPI_Ssend(data, i, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
      } else {
        MPI_Request request;
        MPI_Irecv(data, ROOM, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
        in_thread(completes, &request);
      }
    }
  } else if (rank == 0) {
    printf("not provided\n");
  }
  MPI_Finalize();
  return failures != 0;
}
