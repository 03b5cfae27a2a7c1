// The cost of creating and freeing a communicator, with no others and with many others alive.
//
//     mpirun -n P ./communicators OUT [ROUNDS]
//
// Each rank writes JSON lines to OUT.<rank>. All ranks take part in each call, so a batch takes as long as the slowest.

#include "measure.h"

enum { kCalls = 20, kAlive = 1000 };

static double dup_free(int calls) {
  MPI_Comm copy;
  TIMED(calls, {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
  });
}

static void measure(const char *name, int rounds) {
  double *ns = malloc((size_t)rounds * sizeof(double));
  if (!ns) MPI_Abort(MPI_COMM_WORLD, 1);
  dup_free(kCalls);  // warm up
  for (int round = 0; round < rounds; round++) ns[round] = dup_free(kCalls) / kCalls;
  print_row(name, ns, rounds, kCalls);
  free(ns);
}

int main(int argc, char **argv) {
  static MPI_Comm alive[kAlive];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_out(argc, argv, rank);
  measure("Comm_dup+Comm_free", rounds_of(argc, argv));
  for (int i = 0; i < kAlive; i++) MPI_Comm_dup(MPI_COMM_WORLD, &alive[i]);
  measure("Comm_dup+Comm_free, 1000 alive", rounds_of(argc, argv));
  for (int i = 0; i < kAlive; i++) MPI_Comm_free(&alive[i]);
  MPI_Finalize();
  fclose(out);
  return 0;
}
