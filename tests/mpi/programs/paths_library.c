// A library that calls MPI for those who call it; tests/mpi/test_paths.py.
#include <mpi.h>

double sum_over_ranks(double value, MPI_Comm comm) {
  double total = 0;
  MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, comm);  // in the library
  return total + 1;
}
