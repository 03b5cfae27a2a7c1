// processors WHAT PROCESSORS [THREADS]: each rank binds itself to the first so many processors that it may use, once
// MPI_Init has returned, and
//   spins     computes, in so many threads
//   sleeps    sleeps nearly all the time, and often
//   yields    gives its processor up again and again (each rank has a processor of its own)
//   hog       computes, while a child of rank 0 computes on rank 0's processor (likewise)
// tests/mpi/test_processors.py knows what is to be found.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double SECONDS = 1.5;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double until;
static pthread_barrier_t end;

static void spin(void) {
  while (now() < until) continue;
}

static void *work(void *unused) {
  spin();
  pthread_barrier_wait(&end);  // as workers of OpenMP do, it is there until the process ends
  pause();
  return unused;
}

static void spin_in(int threads) {
  pthread_barrier_init(&end, NULL, (unsigned)threads);
  for (int i = 1; i < threads; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
  }
  spin();
  pthread_barrier_wait(&end);
}

// To the processor that is its own, or to the first so many.
static void bind_to(int processors, int own) {
  cpu_set_t all, mine;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&mine);
  for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &all)) continue;
    if (own < 0 ? seen < processors : seen == own) CPU_SET(cpu, &mine);
    seen++;
  }
  sched_setaffinity(0, sizeof mine, &mine);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char *what = argv[1];
  const int is_alone = strcmp(what, "yields") == 0 || strcmp(what, "hog") == 0;
  bind_to(atoi(argv[2]), is_alone ? rank : -1);
  pid_t child = 0;
  until = now() + SECONDS;
  if (strcmp(what, "spins") == 0) {
    spin_in(argc > 3 ? atoi(argv[3]) : 1);
  } else if (strcmp(what, "sleeps") == 0) {
    while (now() < until) usleep(2000);
  } else if (strcmp(what, "yields") == 0) {
    while (now() < until) sched_yield();
  } else if (strcmp(what, "hog") == 0) {
    if (rank == 0) child = fork();
    spin();
    if (rank == 0 && child == 0) {
      for (;;) continue;
    }
  }
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
  MPI_Finalize();
  return 0;
}
