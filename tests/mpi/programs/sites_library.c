// A library that calls MPI for itself; tests/mpi/test_sites_of_calls.py.
#include <mpi.h>

void sum_in_library(int times) {
  for (int i = 0; i < times; i++) {
    double one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // in the library
  }
}
