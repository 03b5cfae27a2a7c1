// What the system counts, by construction, two ranks. In each region one thing happens: `touch` touches PAGES pages
// that are new, `sleep` sleeps SLEEPS times, `burn` computes for SECONDS, `threads` the same in a second thread,
// `nothing` is empty. A number as argument binds all ranks to this processor. tests/mpi/test_system_counters.py knows
// the numbers.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 3000, SLEEPS = 50 };
static const double SECONDS = 0.5;

static double processor_seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *burn(void *unused) {
  const double end = processor_seconds(CLOCK_THREAD_CPUTIME_ID) + SECONDS;
  while (processor_seconds(CLOCK_THREAD_CPUTIME_ID) < end) continue;
  return unused;
}

static void touch(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < PAGES; i++) memory[i * page] = 1;
  munmap(memory, PAGES * page);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(atoi(argv[1]), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1, "touch");
  touch();
  MPI_Pcontrol(-1, "touch");
  MPI_Pcontrol(1, "sleep");
  for (int i = 0; i < SLEEPS; i++) usleep(1000);
  MPI_Pcontrol(-1, "sleep");
  MPI_Pcontrol(1, "outer");
  MPI_Pcontrol(1, "burn");
  burn(NULL);
  MPI_Pcontrol(-1, "burn");
  MPI_Pcontrol(-1, "outer");
  MPI_Pcontrol(1, "threads");
  pthread_t other;
  pthread_create(&other, NULL, burn, NULL);
  pthread_join(other, NULL);
  MPI_Pcontrol(-1, "threads");
  MPI_Pcontrol(1, "nothing");
  MPI_Pcontrol(-1, "nothing");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
