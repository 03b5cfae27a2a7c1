// Calls on a communicator of one rank. Unless compiled with WITHOUT_SESSIONS, also the same calls in an active session,
// and the cost of the functions of MPI_Monitoring.h on MPI_COMM_WORLD.
//
//   sessions OUT ROUNDS ROWS    ROWS: kinds of messages that have been sent before, each a row of the counters
#include "measure.h"

#ifndef WITHOUT_SESSIONS
#include <MPI_Monitoring.h>
#endif

enum { kCalls = 200 };

static MPI_Comm self;

static double sendrecv(int calls) {
  double in = 0, value = 0;
  TIMED(calls, MPI_Sendrecv(&value, 1, MPI_DOUBLE, 0, 0, &in, 1, MPI_DOUBLE, 0, 0, self, MPI_STATUS_IGNORE));
}

static double bcast(int calls) {
  double value = 0;
  TIMED(calls, MPI_Bcast(&value, 1, MPI_DOUBLE, 0, self));
}

static double allreduce(int calls) {
  double in = 0, value = 0;
  TIMED(calls, MPI_Allreduce(&in, &value, 1, MPI_DOUBLE, MPI_SUM, self));
}

typedef struct {
  const char *name;
  double (*batch)(int calls);
} Row;

static void measure(const Row *rows, int count, int rounds) {
  double *ns = malloc((size_t)rounds * sizeof *ns);
  if (!ns) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int r = 0; r < count; r++) {
    rows[r].batch(kCalls);  // warm up
    for (int round = 0; round < rounds; round++) ns[round] = rows[r].batch(kCalls) / kCalls;
    print_row(rows[r].name, ns, rounds, kCalls);
  }
  free(ns);
}

static const Row calls[] = {{"Sendrecv", sendrecv}, {"Bcast", bcast}, {"Allreduce", allreduce}};
enum { kKinds = sizeof calls / sizeof *calls };

#ifndef WITHOUT_SESSIONS

// Each kind of message has a separate communicator.
static void make_rows(int rows) {
  for (int i = 0; i < rows; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Sendrecv(NULL, 0, MPI_INT, 0, 0, NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
  }
}

enum { kStart, kSuspend, kContinue, kGetData, kAllgather, kFree, kFunctions };
static const char *const names[kFunctions] = {"MPI_M_start",    "MPI_M_suspend",        "MPI_M_continue",
                                              "MPI_M_get_data", "MPI_M_allgather_data", "MPI_M_free"};

static void functions(int rounds) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t entries = (size_t)size * (size_t)size;
  unsigned long *matrix = malloc(2 * entries * sizeof *matrix);
  double *ns[kFunctions];
  for (int f = 0; f < kFunctions; f++) ns[f] = malloc((size_t)rounds * sizeof(double));
  if (!matrix || !ns[kFunctions - 1]) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_M_msid first, session;

  double before = now_ns();
  MPI_M_start(MPI_COMM_WORLD, &first);
  double took = now_ns() - before;
  print_row("first MPI_M_start", &took, 1, 1);
  for (int round = 0; round < rounds; round++) {
    const double t0 = now_ns();
    MPI_M_start(MPI_COMM_WORLD, &session);
    const double t1 = now_ns();
    MPI_M_suspend(session);
    const double t2 = now_ns();
    MPI_M_continue(session);
    const double t3 = now_ns();
    MPI_M_suspend(session);
    const double t4 = now_ns();
    MPI_M_get_data(session, matrix, matrix + size, MPI_M_ALL_COMM);
    const double t5 = now_ns();
    MPI_M_allgather_data(session, matrix, matrix + entries, MPI_M_ALL_COMM);
    const double t6 = now_ns();
    MPI_M_free(session);
    const double t7 = now_ns();
    ns[kStart][round] = t1 - t0;
    ns[kSuspend][round] = t2 - t1;
    ns[kContinue][round] = t3 - t2;
    ns[kGetData][round] = t5 - t4;
    ns[kAllgather][round] = t6 - t5;
    ns[kFree][round] = t7 - t6;
  }
  for (int f = 0; f < kFunctions; f++) {
    print_row(names[f], ns[f], rounds, 1);
    free(ns[f]);
  }
  MPI_M_suspend(first);
  MPI_M_free(first);
  free(matrix);
}

#endif

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_out(argc, argv, rank);
  const int rounds = rounds_of(argc, argv);
  MPI_Comm_dup(MPI_COMM_SELF, &self);
#ifdef WITHOUT_SESSIONS
  measure(calls, kKinds, rounds);
#else
  MPI_M_msid session;
  make_rows(argc >= 4 ? atoi(argv[3]) : 0);
  MPI_M_init();
  MPI_M_start(self, &session);
  measure(calls, kKinds, rounds);
  MPI_M_suspend(session);
  MPI_M_free(session);
  functions(rounds);
  MPI_M_finalize();
#endif
  MPI_Comm_free(&self);
  MPI_Finalize();
  fclose(out);
  return 0;
}
