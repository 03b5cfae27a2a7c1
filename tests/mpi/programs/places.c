// Ranks that bind themselves: to the processor of the first argument, once MPI_Init has returned. With a second
// argument each has so many threads that compute, itself among them. tests/mpi/test_places.py knows what is to be
// found.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_THREADS = 8, REGIONS = 20 };
static const double SECONDS = 0.3;

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static pthread_barrier_t end;

static void burn(void) {
  while (processor_seconds() < SECONDS) continue;
}

static void *work(void *unused) {
  burn();
  pthread_barrier_wait(&end);  // its time has been used up
  pthread_barrier_wait(&end);  // MPI_Finalize has looked at it
  return unused;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(atoi(argv[1]), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return 1;
  const int others = argc > 2 ? atoi(argv[2]) - 1 : 0;
  pthread_t threads[MOST_THREADS];
  pthread_barrier_init(&end, NULL, (unsigned)others + 1);
  for (int i = 0; i < others; i++) pthread_create(&threads[i], NULL, work, NULL);
  if (others > 0) burn();
  for (int i = 0; i < REGIONS; i++) {
    MPI_Pcontrol(1, "region");
    MPI_Pcontrol(-1, "region");
  }
  if (others > 0) pthread_barrier_wait(&end);
  MPI_Finalize();
  if (others > 0) pthread_barrier_wait(&end);
  for (int i = 0; i < others; i++) pthread_join(threads[i], NULL);
  return 0;
}
