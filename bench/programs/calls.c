// The cost of an MPI call in nanoseconds, with or without a preloaded library.
//
//     mpirun -n 1 ./calls OUT [ROUNDS]
//
// Writes JSON lines to OUT.0. A row is measured in many short batches, and the batches of all rows are interleaved, so
// that a change of the machine's speed affects all rows equally. Reading the clock is one of the rows: its cost must be
// measured in the same state of the machine. All calls are on a communicator with one rank: no other process takes
// part, and nothing waits.

#include "measure.h"

enum { kCalls = 200, kCommunicators = 20, kCommunicatorRounds = 100, kKeptCommunicators = 1 << 16 };

static MPI_Comm self;  // one rank

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

// The request stays pending during the batch. It completes before the next row is measured.
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

// This is how programs pass it. It needs the most work in a profiler, which needs the statuses.
static double irecv_isend_waitall_ignoring(int calls) {
  double in, value = 1;
  MPI_Request requests[2];
  TIMED(calls, {
    MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 2, self, &requests[0]);
    MPI_Isend(&value, 1, MPI_DOUBLE, 0, 2, self, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
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

// These rows use communication objects that live as long as the program, so their creation is not measured.
static MPI_Request to_nobody = MPI_REQUEST_NULL, to_myself[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static double persistent_in, persistent_out = 1, *window_memory;
static MPI_Win window;

static void make_objects(void) {
  MPI_Send_init(&persistent_out, 1, MPI_DOUBLE, MPI_PROC_NULL, 5, self, &to_nobody);
  MPI_Recv_init(&persistent_in, 1, MPI_DOUBLE, 0, 6, self, &to_myself[0]);
  MPI_Send_init(&persistent_out, 1, MPI_DOUBLE, 0, 6, self, &to_myself[1]);
  // (Allocated: Open MPI 4.1 can't make a window of one process from the program's memory on every system.)
  MPI_Win_allocate(sizeof(double), sizeof(double), MPI_INFO_NULL, self, &window_memory, &window);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
}

static void free_objects(void) {
  MPI_Win_unlock(0, window);
  MPI_Win_free(&window);
  MPI_Request_free(&to_nobody);
  MPI_Request_free(&to_myself[0]);
  MPI_Request_free(&to_myself[1]);
}

static double start_wait(int calls) {
  TIMED(calls, {
    MPI_Start(&to_nobody);
    MPI_Wait(&to_nobody, MPI_STATUS_IGNORE);
  });
}

static double startall_waitall(int calls) {
  MPI_Status statuses[2];
  TIMED(calls, {
    MPI_Startall(2, to_myself);
    MPI_Waitall(2, to_myself, statuses);
  });
}

static double startall_waitall_ignoring(int calls) {
  TIMED(calls, {
    MPI_Startall(2, to_myself);
    MPI_Waitall(2, to_myself, MPI_STATUSES_IGNORE);
  });
}

static double put_flush(int calls) {
  TIMED(calls, {
    MPI_Put(&persistent_out, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
    MPI_Win_flush(0, window);
  });
}

static double dup_free(int calls) {
  MPI_Comm copy;
  TIMED(calls, {
    MPI_Comm_dup(self, &copy);
    MPI_Comm_free(&copy);
  });
}

// The name is read each time: it is a literal, as in most programs.
static double region(int calls) {
  TIMED(calls, {
    MPI_Pcontrol(1, "a region");
    MPI_Pcontrol(-1, "a region");
  });
}

typedef struct {
  const char *name;
  double (*batch)(int calls);
  double *ns;  // per call, for each batch
} Row;

static void measure(Row *rows, int count, int calls, int rounds) {
  for (int r = 0; r < count; r++) {
    rows[r].ns = malloc((size_t)rounds * sizeof(double));
    if (!rows[r].ns) MPI_Abort(MPI_COMM_WORLD, 1);
    rows[r].batch(calls);  // warm up
  }
  for (int round = 0; round < rounds; round++)
    for (int r = 0; r < count; r++) rows[r].ns[round] = rows[r].batch(calls) / calls;
  for (int r = 0; r < count; r++) {
    print_row(rows[r].name, rows[r].ns, rounds, calls);
    free(rows[r].ns);
  }
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
                 {"Irecv+Isend+Waitall, ignored", irecv_isend_waitall_ignoring, NULL},
                 {"Sendrecv", sendrecv, NULL},
                 {"Send to PROC_NULL", send_proc_null, NULL},
                 {"Start+Wait", start_wait, NULL},
                 {"Startall+Waitall", startall_waitall, NULL},
                 {"Startall+Waitall, ignored", startall_waitall_ignoring, NULL},
                 {"Put+Win_flush", put_flush, NULL},
                 {"Pcontrol, a region", region, NULL}};
  Row communicators[] = {{"Comm_dup+Comm_free", dup_free, NULL}};
  Row more[] = {{"Comm_dup+Comm_free, beyond 65,536", dup_free, NULL}};
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  make_objects();
  measure(calls, sizeof calls / sizeof *calls, kCalls, rounds);
  print_memory("calls");  // before thousands of communicators are created and freed: this row is reported separately
  measure(communicators, 1, kCommunicators, kCommunicatorRounds);
  print_memory("communicators");
  dup_free(kKeptCommunicators);
  measure(more, 1, kCommunicators, kCommunicatorRounds);
  free_objects();
  MPI_Comm_free(&self);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_out(argc, argv, rank);
  all_rows(rounds_of(argc, argv));
  MPI_Finalize();
  fclose(out);
  return sink == 1;  // never true, but the compiler doesn't know
}
