// Prints its command line and environment. Two ranks, each line with its rank in front; rank 1 prints to rank1.txt,
// because launchers mix the ranks' lines. Ends with status 17, after all have written: launchers kill the others as
// soon as one has failed. tests/mpi/test_transparency.py compares the run under Rankwise with the run without.
#include <mpi.h>
#include <stdio.h>

extern char **environ;

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && freopen("rank1.txt", "w", stdout) == NULL) return 1;
  for (int i = 0; i < argc; i++) printf("%d argument %d: %s\n", rank, i, argv[i]);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_free(&copy);
  for (char **variable = environ; *variable != NULL; variable++) printf("%d env %s\n", rank, *variable);
  fprintf(stderr, "standard error of rank %d\n", rank);
  fflush(NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 17;
}
