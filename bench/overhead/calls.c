// What an MPI call costs, in nanoseconds, with whatever is preloaded.
//
//     mpirun -n 1 ./calls OUT [ROUNDS]          every row below
//     mpirun -n P ./calls OUT finalize          a little traffic on 20 communicators, then MPI_Finalize
//
// Each rank writes JSON lines to OUT.<rank>. A row is measured in many short batches, and the batches of all
// rows take turns, so that a change of the machine's speed meets all rows alike. The reads of the clock are
// a row among the others: what they cost must be known in the same state of the machine.
// All calls are on a communicator with one rank: no other process takes part, nothing waits.

#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kCalls = 200, kCommunicators = 20, kFinalizeCommunicators = 20, kCommunicatorRounds = 100 };

static MPI_Comm self;  // one rank
static FILE *out;
static uint64_t sink;  // keeps the clock reads from being optimised away

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static uint64_t ticks(void) {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#else
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

// Each batch makes `calls` of its calls and returns the nanoseconds that they took together.
#define TIMED(calls, statement)                  \
  do {                                           \
    const double start = now_ns();               \
    for (int i = 0; i < (calls); i++) statement; \
    return now_ns() - start;                     \
  } while (0)

static double two_clock_reads(int calls) {
  TIMED(calls, {
    const uint64_t before = ticks();
    sink += ticks() - before;
  });
}

static double comm_rank(int calls) {
  int rank;
  TIMED(calls, MPI_Comm_rank(self, &rank));
}

static double iprobe(int calls) {
  int flag;
  TIMED(calls, MPI_Iprobe(0, 0, self, &flag, MPI_STATUS_IGNORE));
}

static double timed_tests(MPI_Request *request, int calls) {
  int flag;
  TIMED(calls, MPI_Test(request, &flag, MPI_STATUS_IGNORE));
}

// The request stays pending during the batch, and is completed before other rows have their turn.
static double test_pending(int calls) {
  double in = 0, value = 1;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 1, self, &request);
  const double ns = timed_tests(&request, calls);
  MPI_Send(&value, 1, MPI_DOUBLE, 0, 1, self);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return ns;
}

static double allreduce(int calls) {
  double in = 1, sum;
  TIMED(calls, MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, self));
}

static double barrier(int calls) { TIMED(calls, MPI_Barrier(self)); }

static double bcast(int calls) {
  double value = 1;
  TIMED(calls, MPI_Bcast(&value, 1, MPI_DOUBLE, 0, self));
}

static double irecv_isend_waitall(int calls) {
  double in, value = 1;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  TIMED(calls, {
    MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 2, self, &requests[0]);
    MPI_Isend(&value, 1, MPI_DOUBLE, 0, 2, self, &requests[1]);
    MPI_Waitall(2, requests, statuses);
  });
}

static double sendrecv(int calls) {
  double in, value = 1;
  TIMED(calls, MPI_Sendrecv(&value, 1, MPI_DOUBLE, 0, 3, &in, 1, MPI_DOUBLE, 0, 3, self, MPI_STATUS_IGNORE));
}

static double send_proc_null(int calls) {
  double value = 1;
  TIMED(calls, MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 4, self));
}

static double dup_free(int calls) {
  MPI_Comm copy;
  TIMED(calls, {
    MPI_Comm_dup(self, &copy);
    MPI_Comm_free(&copy);
  });
}

typedef struct {
  const char *name;
  double (*batch)(int calls);
  double *ns;  // per call, of each batch
} Row;

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(Row *rows, int count, int calls, int rounds) {
  for (int r = 0; r < count; r++) {
    rows[r].ns = malloc((size_t)rounds * sizeof(double));
    if (!rows[r].ns) MPI_Abort(MPI_COMM_WORLD, 1);
    rows[r].batch(calls);  // the first time is no typical time
  }
  for (int round = 0; round < rounds; round++)
    for (int r = 0; r < count; r++) rows[r].ns[round] = rows[r].batch(calls) / calls;
  for (int r = 0; r < count; r++) {
    qsort(rows[r].ns, (size_t)rounds, sizeof(double), ascending);
    fprintf(out, "{\"row\": \"%s\", \"min_ns\": %.3f, \"median_ns\": %.3f, \"batches\": %d, \"calls\": %d}\n",
            rows[r].name, rows[r].ns[0], rows[r].ns[rounds / 2], rounds, calls);
    free(rows[r].ns);
  }
}

// A "VmRSS:" or "VmHWM:" line of the kernel's account of this process; -1 where there is none.
static long status_kb(const char *key) {
  char line[256];
  long kb = -1;
  FILE *f = fopen("/proc/self/status", "r");
  if (!f) return -1;
  while (fgets(line, sizeof line, f))
    if (!strncmp(line, key, strlen(key))) kb = strtol(line + strlen(key), NULL, 10);
  fclose(f);
  return kb;
}

static void print_memory(const char *when) {
  fprintf(out, "{\"memory\": \"%s\", \"rss_kb\": %ld, \"hwm_kb\": %ld}\n", when, status_kb("VmRSS:"),
          status_kb("VmHWM:"));
}

static void all_rows(int rounds) {
  Row calls[] = {{"two clock reads", two_clock_reads, NULL},
                 {"Comm_rank", comm_rank, NULL},
                 {"Iprobe", iprobe, NULL},
                 {"Test", test_pending, NULL},
                 {"Allreduce", allreduce, NULL},
                 {"Barrier", barrier, NULL},
                 {"Bcast", bcast, NULL},
                 {"Irecv+Isend+Waitall", irecv_isend_waitall, NULL},
                 {"Sendrecv", sendrecv, NULL},
                 {"Send to PROC_NULL", send_proc_null, NULL}};
  Row communicators[] = {{"Comm_dup+Comm_free", dup_free, NULL}};
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  measure(calls, sizeof calls / sizeof *calls, kCalls, rounds);
  print_memory("calls");  // before thousands of communicators come and go: these are a figure of their own
  measure(communicators, 1, kCommunicators, kCommunicatorRounds);
  print_memory("communicators");
  MPI_Comm_free(&self);
}

// Something for a profiler to gather and to write: collectives and a ring of messages on many communicators.
static void some_traffic(int rank, int ranks) {
  for (int c = 0; c < kFinalizeCommunicators; c++) {
    MPI_Comm comm;
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    double value = rank, in;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    MPI_Allreduce(&value, &in, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, next, 0, &in, 1, MPI_DOUBLE, previous, 0, comm, MPI_STATUS_IGNORE);
    if (c % 2) MPI_Comm_free(&comm);
  }
  print_memory("traffic");
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  char path[4096];
  if (argc >= 2) snprintf(path, sizeof path, "%s.%d", argv[1], rank);
  out = argc >= 2 ? fopen(path, "w") : NULL;
  if (!out) {
    fprintf(stderr, "calls: usage: calls OUT [ROUNDS | finalize]; OUT.<rank> must be writable\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (argc >= 3 && !strcmp(argv[2], "finalize")) {
    some_traffic(rank, ranks);
  } else {
    const int rounds = argc >= 3 ? atoi(argv[2]) : 300;
    all_rows(rounds < 1 ? 1 : rounds);
  }

  MPI_Barrier(MPI_COMM_WORLD);
  struct timespec cpu[2];
  const double start = now_ns();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[0]);
  MPI_Finalize();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[1]);
  fprintf(out, "{\"finalize_ms\": %.3f, \"finalize_cpu_ms\": %.3f}\n", (now_ns() - start) / 1e6,
          (cpu[1].tv_sec - cpu[0].tv_sec) * 1e3 + (cpu[1].tv_nsec - cpu[0].tv_nsec) / 1e6);
  fclose(out);
  return sink == 1;  // never, but the compiler doesn't know
}
