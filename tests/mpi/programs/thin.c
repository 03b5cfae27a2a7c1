// A program that is all in a library, as GROMACS and LAMMPS are: with -DENGINE the library, else its main. With an
// argument main makes calls of its own, as many as the library.
//
// The library gives ranks 0 to 2 a communicator, and the rest another one, on which it makes most of its calls; and it
// makes more families of communicators than are shown apart where a library made them.
#include <mpi.h>

enum { STEPS = 50, MORE = 5 };

void engine_run(void);

#ifdef ENGINE
void engine_run(void) {
  int rank;
  double value = 1, sum;
  MPI_Comm part, more[MORE];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank >= 3, rank, &part);
  for (int step = 0; step < STEPS; step++) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, part);
  MPI_Comm last = part;
  for (int one = 0; one < MORE; one++) {
    MPI_Comm_dup(last, &more[one]);
    last = more[one];
  }
  MPI_Barrier(last);
}
#else
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1)
    for (int step = 0; step < STEPS; step++) MPI_Barrier(MPI_COMM_WORLD);
  engine_run();
  MPI_Finalize();
  return 0;
}
#endif
