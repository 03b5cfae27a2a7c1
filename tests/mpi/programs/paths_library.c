// A library that calls MPI for those who call it; tests/mpi/test_paths.py.
#include <mpi.h>

double sum_over_ranks(double value, MPI_Comm comm) {
  double total = 0;
#ifdef WRONG_TABLES
  __asm__ volatile(".cfi_adjust_cfa_offset 12582912");  // the frame is said to be larger than the stack
#endif
  MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, comm);  // in the library
#ifdef WRONG_TABLES
  __asm__ volatile(".cfi_adjust_cfa_offset -12582912");
#endif
  return total + 1;
}
