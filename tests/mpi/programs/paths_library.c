// A library that calls MPI for whoever calls it: its one site tells nothing of who that is.
#include <mpi.h>

static double sum(double value, MPI_Comm comm) {
  double total = 0;
  MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, comm);  // in the library
  return total;
}

double sum_over_ranks(double value, MPI_Comm comm) { return sum(value, comm) + 1; }
