// The cost of an MPI call if several threads make it at once, each on a private communicator.
//
//     mpirun -n 1 ./threads OUT [ROUNDS]
//
// Writes JSON lines to OUT.0. All threads measure the same row at the same time, which shows the cost of data that they
// share inside the library or inside a profiler. More threads than cores make no difference: a batch is much shorter
// than the time slice of the scheduler.

#include "measure.h"
//
#include <pthread.h>

enum { kThreads = 4, kCalls = 200 };

typedef struct {
  MPI_Comm comm;
  double *ns;  // per call, for each batch
  int rounds;
  double (*batch)(MPI_Comm comm, int calls);
} Thread;

static pthread_barrier_t together;
static _Thread_local uint64_t own_sink;

static double two_clock_reads(MPI_Comm comm, int calls) {
  (void)comm;
  TIMED(calls, {
    const uint64_t before = ticks();
    own_sink += ticks() - before;
  });
}

static double allreduce(MPI_Comm comm, int calls) {
  double in = 1, sum;
  TIMED(calls, MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, comm));
}

static double irecv_isend_waitall(MPI_Comm comm, int calls) {
  double in, value = 1;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  TIMED(calls, {
    MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 2, comm, &requests[0]);
    MPI_Isend(&value, 1, MPI_DOUBLE, 0, 2, comm, &requests[1]);
    MPI_Waitall(2, requests, statuses);
  });
}

static void *measure(void *argument) {
  Thread *thread = argument;
  thread->batch(thread->comm, kCalls);  // warm up
  pthread_barrier_wait(&together);
  for (int round = 0; round < thread->rounds; round++) thread->ns[round] = thread->batch(thread->comm, kCalls) / kCalls;
  return NULL;
}

static void measure_row(const char *name, double (*batch)(MPI_Comm, int), const MPI_Comm *comms, int rounds) {
  pthread_t ids[kThreads];
  Thread threads[kThreads];
  double *ns = malloc((size_t)rounds * kThreads * sizeof(double));
  if (!ns) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int t = 0; t < kThreads; t++) {
    threads[t] = (Thread){comms[t], ns + (size_t)t * (size_t)rounds, rounds, batch};
    if (pthread_create(&ids[t], NULL, measure, &threads[t])) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int t = 0; t < kThreads; t++) pthread_join(ids[t], NULL);
  print_row(name, ns, rounds * kThreads, kCalls);
  free(ns);
}

int main(int argc, char **argv) {
  int rank, provided;
  MPI_Comm comms[kThreads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    fprintf(stderr, "threads: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_out(argc, argv, rank);
  for (int t = 0; t < kThreads; t++) MPI_Comm_dup(MPI_COMM_SELF, &comms[t]);
  pthread_barrier_init(&together, NULL, kThreads);
  const int rounds = rounds_of(argc, argv);
  measure_row("two clock reads", two_clock_reads, comms, rounds);
  measure_row("Allreduce, 4 threads", allreduce, comms, rounds);
  measure_row("Irecv+Isend+Waitall, 4 threads", irecv_isend_waitall, comms, rounds);
  pthread_barrier_destroy(&together);
  for (int t = 0; t < kThreads; t++) MPI_Comm_free(&comms[t]);
  MPI_Finalize();
  fclose(out);
  return sink == 1;
}
