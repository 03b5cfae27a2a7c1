// A whole job: how long MPI_Init and MPI_Finalize take, with a little traffic on 20 communicators in between.
//
//     mpirun -n P ./job OUT [wait]
//
// Each rank writes JSON lines to OUT.<rank>, including the times of its first and its last line of code. With the
// second argument the ranks wait for the file OUT.end before MPI_Finalize, and make a call ten times a second.

#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "measure.h"

enum { kCommunicators = 20 };

static double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// Gives a profiler data to gather and to write: collectives and a ring of messages on many communicators.
static void some_traffic(int rank, int ranks) {
  for (int c = 0; c < kCommunicators; c++) {
    MPI_Comm comm;
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    double value = rank, in;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    MPI_Allreduce(&value, &in, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, next, 0, &in, 1, MPI_DOUBLE, previous, 0, comm, MPI_STATUS_IGNORE);
    if (c % 2) MPI_Comm_free(&comm);
  }
}

static void wait_for_end(const char *records) {
  char path[4096];
  const struct timespec tenth = {0, 100000000};
  double value = 1, in;
  fprintf(out, "{\"pid\": %d}\n", (int)getpid());
  fflush(out);
  snprintf(path, sizeof path, "%s.end", records);
  while (access(path, F_OK) != 0) {
    MPI_Allreduce(&value, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    nanosleep(&tenth, NULL);
  }
}

int main(int argc, char **argv) {
  int rank, ranks;
  const double first = now_ns(), first_cpu = cpu_ns();
  MPI_Init(&argc, &argv);
  const double started = now_ns(), started_cpu = cpu_ns();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  open_out(argc, argv, rank);
  some_traffic(rank, ranks);
  print_memory("traffic");
  if (argc >= 3) wait_for_end(argv[1]);

  MPI_Barrier(MPI_COMM_WORLD);
  const double stopping = now_ns(), stopping_cpu = cpu_ns();
  MPI_Finalize();
  const double last_cpu = cpu_ns(), last = now_ns();
  fprintf(out,
          "{\"init_ms\": %.3f, \"init_cpu_ms\": %.3f, \"finalize_ms\": %.3f, \"finalize_cpu_ms\": %.3f,"
          " \"first_s\": %.6f, \"last_s\": %.6f}\n",
          (started - first) / 1e6, (started_cpu - first_cpu) / 1e6, (last - stopping) / 1e6,
          (last_cpu - stopping_cpu) / 1e6, first / 1e9, last / 1e9);
  fclose(out);
  return sink == 1;  // never true, but the compiler doesn't know
}
