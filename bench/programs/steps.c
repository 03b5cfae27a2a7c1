// The slowdown of a program whose ranks use all processors: communicators right after MPI_Init, steps of a millisecond.
//
//     mpirun -n P ./steps OUT [STEPS]
//
// Each rank writes a JSON line to OUT.<rank>. In each step all ranks compute for a millisecond and meet in an
// Allreduce, so a rank that has lost its processor delays all others.

#include "measure.h"

static const double kFirstNs = 50e6, kStepNs = 1e6;

// Microseconds for each of the communicators that all ranks make and free in the first 50 ms.
static double first_us(void) {
  const double start = now_ns();
  int made = 0, goes_on = 1;
  while (goes_on) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const int mine = now_ns() - start < kFirstNs;
    MPI_Allreduce(&mine, &goes_on, 1, MPI_INT, MPI_MIN, copy);
    MPI_Comm_free(&copy);
    made++;
  }
  return (now_ns() - start) / made / 1e3;
}

static double step_ns(double from) {
  double mine = 0, all;
  while (now_ns() < from + kStepNs) mine++;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return now_ns() - from;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double first = first_us();
  open_out(argc, argv, rank);
  const int steps = rounds_of(argc, argv);
  double longest = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = now_ns();
  for (int step = 0; step < steps; step++) {
    const double took = step_ns(now_ns());
    longest = took > longest ? took : longest;
  }
  const double mean = (now_ns() - start) / steps;
  fprintf(out, "{\"first_us\": %.3f, \"step_us\": %.3f, \"longest_step_us\": %.3f}\n", first, mean / 1e3,
          longest / 1e3);
  MPI_Finalize();
  fclose(out);
  return 0;
}
