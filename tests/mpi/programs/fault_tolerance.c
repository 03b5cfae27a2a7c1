// Procedures for fault tolerance as libraries have them before the standard, on two ranks that nothing happens to.
// Prints a line for each that the library has.
// tests/mpi/test_fault_tolerance.py has the figures.
#include <mpi.h>
#include <stdio.h>

#pragma weak MPIX_Comm_agree
#pragma weak MPIX_Comm_iagree
#pragma weak MPIX_Comm_revoke
#pragma weak MPIX_Comm_shrink
int MPIX_Comm_agree(MPI_Comm comm, int *flag);
int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);
int MPIX_Comm_revoke(MPI_Comm comm);
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);

static int rank;

static void has(const char *name) {
  if (rank == 0) printf("has %s\n", name);
}

int main(int argc, char **argv) {
  int flag = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (MPIX_Comm_agree) {
    has("MPIX_Comm_agree");
    for (int i = 0; i < 3; i++) MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
  }
  if (MPIX_Comm_iagree) {
    has("MPIX_Comm_iagree");
    MPI_Request request;
    MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (MPIX_Comm_shrink) {
    has("MPIX_Comm_shrink");
    MPI_Comm smaller;
    MPIX_Comm_shrink(MPI_COMM_WORLD, &smaller);
    MPI_Barrier(smaller);
    MPI_Comm_free(&smaller);
  }
  if (MPIX_Comm_revoke) {
    has("MPIX_Comm_revoke");
    MPI_Comm revoked;
    MPI_Comm_dup(MPI_COMM_WORLD, &revoked);
    MPI_Barrier(revoked);
    if (rank == 0) MPIX_Comm_revoke(revoked);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
