// Refers to functions that no MPI library has, as programs do that use what their library has of its own.
// tests/mpi/test_started_by_scripts.py
#include <mpi.h>
#include <stddef.h>

__attribute__((weak)) int MPI_Newer_call(MPI_Comm comm);
__attribute__((weak)) int MPIX_Newer_call(MPI_Comm comm);

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (MPI_Newer_call != NULL) MPI_Newer_call(MPI_COMM_WORLD);
  if (MPIX_Newer_call != NULL) MPIX_Newer_call(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
