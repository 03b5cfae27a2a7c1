// Messages and collectives of all sizes between two ranks: a ping-pong, and an Allreduce.
//
//     mpirun -n 2 ./pingpong OUT [ROUNDS]
//
// Each rank writes a JSON line for each row to OUT.<rank>: `pingpong 8` is half a round trip, so one Send and one Recv.

#include "measure.h"

enum { kMostBytes = 4 << 20, kMostCalls = 200, kBytesAtOnce = 8 << 20 };

static char *sent, *received;
static int rank;

// A batch of large messages has fewer calls, so that all batches take similar times.
static int calls_of(int bytes) {
  const int calls = bytes ? kBytesAtOnce / bytes : kMostCalls;
  return calls < 2 ? 2 : calls > kMostCalls ? kMostCalls : calls;
}

static void half_trips(int bytes) {
  const int other = 1 - rank;
  if (rank == 0) {
    MPI_Send(sent, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(received, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(received, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(sent, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  }
}

static double pingpong(int bytes) {
  const double start = now_ns();
  for (int i = 0; i < calls_of(bytes); i++) half_trips(bytes);
  return (now_ns() - start) / 2;
}

static double allreduce(int bytes) {
  TIMED(calls_of(bytes), MPI_Allreduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}

static void row(const char *what, double (*batch)(int), int bytes, int rounds, double *ns) {
  char name[64];
  snprintf(name, sizeof name, "%s %d", what, bytes);
  batch(bytes);
  for (int round = 0; round < rounds; round++) {
    MPI_Barrier(MPI_COMM_WORLD);
    ns[round] = batch(bytes) / calls_of(bytes);
  }
  print_row(name, ns, rounds, calls_of(bytes));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_out(argc, argv, rank);
  const int rounds = rounds_of(argc, argv);
  double *ns = malloc((size_t)rounds * sizeof *ns);
  sent = calloc(kMostBytes, 1);
  received = calloc(kMostBytes, 1);
  for (int bytes = 8; bytes <= kMostBytes; bytes *= 4) {
    row("pingpong", pingpong, bytes, rounds, ns);
    row("allreduce", allreduce, bytes, rounds, ns);
  }
  fclose(out);
  free(ns);
  free(sent);
  free(received);
  MPI_Finalize();
  return sink == 1;  // never true, but the compiler doesn't know
}
