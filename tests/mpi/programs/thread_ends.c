// A thread calls MPI in the destructor of data of its own, when the thread after it already calls MPI, too: one rank
// sends 8 messages of 100 bytes to itself, each from such a destructor. tests/mpi/test_threads.py has the figures.
#define _DEFAULT_SOURCE  // usleep
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { MESSAGES = 8, BYTES = 100 };

static char data[BYTES], room[BYTES];
static pthread_key_t key;
static volatile int next_may_start, receiving;

static void at_end(void *value) {
  (void)value;
  next_may_start = 1;
  while (!receiving) usleep(1000);
  usleep(20000);  // until the other one is in its call
  MPI_Send(data, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static void *first(void *unused) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  pthread_setspecific(key, data);
  return unused;
}

static void *second(void *unused) {
  while (!next_may_start) usleep(1000);
  receiving = 1;
  MPI_Recv(room, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    puts("MPI_THREAD_MULTIPLE is not provided");
  } else {
    pthread_key_create(&key, at_end);
    for (int i = 0; i < MESSAGES; i++) {
      pthread_t threads[2];
      next_may_start = receiving = 0;
      pthread_create(&threads[0], NULL, first, NULL);
      pthread_create(&threads[1], NULL, second, NULL);
      for (int t = 0; t < 2; t++) pthread_join(threads[t], NULL);
    }
  }
  MPI_Finalize();
  return 0;
}
