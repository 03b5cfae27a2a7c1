/* Communicators made by the program itself and by a library (makers_library.c): who made which is known. Argument
 * `many`: the library makes more than a few. */
#include <mpi.h>
#include <string.h>

void library_plan(MPI_Comm comm, MPI_Comm *made);
void library_many(MPI_Comm comm);

__attribute__((noinline)) static MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm made;
  MPI_Comm_dup(comm, &made);
  return made;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm own = duplicate(MPI_COMM_WORLD);   /* W_d1 */
  MPI_Comm again = duplicate(MPI_COMM_WORLD); /* W_d2, at the same site */
  MPI_Comm half;
  MPI_Comm_split(own, rank % 2, rank, &half); /* W_d1_s1 */
  MPI_Comm past;
  PMPI_Comm_dup(own, &past); /* W_d1_d2 */
  MPI_Comm made[2];
  library_plan(MPI_COMM_WORLD, made); /* W_d3, W_d3_s1 */
  library_plan(MPI_COMM_SELF, made);  /* S.n_d1, S.n_d1_s1 */
  MPI_Comm below;
  MPI_Comm_dup(made[0], &below);                                    /* S.n_d1_d2 */
  if (argc > 1 && strcmp(argv[1], "many") == 0) library_many(half); /* W_d1_s1_d1, ... */
  MPI_Barrier(again);
  MPI_Finalize();
  return 0;
}
