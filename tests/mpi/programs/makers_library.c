/* A library that makes communicators for itself, called by makers.c and makers*.f90. */
#include <mpi.h>

/* From each: a duplicate, which it splits into pairs of neighbours. */
void library_plan(MPI_Comm comm, MPI_Comm *made) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_dup(comm, &made[0]);
  MPI_Comm_split(made[0], rank / 2, rank, &made[1]);
  MPI_Barrier(made[1]);
}

/* More than a few, in as many places of the source. */
void library_many(MPI_Comm comm) {
  MPI_Comm one, two, three, four, five;
  MPI_Comm_dup(comm, &one);
  MPI_Comm_split(one, 0, 0, &two);
  MPI_Comm_split(two, 0, 0, &three);
  MPI_Comm_dup(three, &four);
  PMPI_Comm_dup(four, &five);
  MPI_Barrier(five);
}

#ifdef FOR_FORTRAN
/* Fortran gives the handle as a number. */
void library_from_fortran_(MPI_Fint *comm) {
  MPI_Comm made[2];
  library_plan(MPI_Comm_f2c(*comm), made);
}
#endif
