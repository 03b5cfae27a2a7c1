// A program whose calls scale by known laws: on communicators named after them, the other ranks wait in a collective
// for rank 0, which sleeps. The mean of the ranks' waiting is
//
//     as p: Alltoall, as log2(p): Allreduce, constant: Bcast
//
// and the useful time is W / p. All ranks sleep, so the laws also hold on a machine with few processors.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 64, COUNT = 128 };

static const double work_s = 6.4, linear_s = 0.1, logarithmic_s = 0.1, constant_s = 0.2;

static void sleep_for(double seconds) {
  struct timespec left = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&left, &left) != 0) {
  }
}

static MPI_Comm named(const char *name) {
  MPI_Comm made;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_set_name(made, name);
  return made;
}

// Let rank 0 be late, by so much that the mean of all ranks' waiting is this.
static void be_late(MPI_Comm on, int rank, int size, double mean_s) {
  MPI_Barrier(on);
  if (rank == 0) sleep_for(mean_s * size / (size - 1));
}

int main(int argc, char **argv) {
  static int sent[MOST * COUNT], received[MOST * COUNT];
  int rank, size, logarithm = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2 || size > MOST) MPI_Abort(MPI_COMM_WORLD, 2);
  while (1 << (logarithm + 1) <= size) logarithm++;
  MPI_Comm linear = named("linear"), logarithmic = named("logarithmic"), constant = named("constant");
  sleep_for(work_s / size);
  be_late(linear, rank, size, linear_s * size);
  MPI_Alltoall(sent, COUNT, MPI_INT, received, COUNT, MPI_INT, linear);
  be_late(logarithmic, rank, size, logarithmic_s * logarithm);
  MPI_Allreduce(sent, received, 1, MPI_INT, MPI_SUM, logarithmic);
  be_late(constant, rank, size, constant_s);
  MPI_Bcast(sent, 1, MPI_INT, 0, constant);
  MPI_Comm_free(&linear);
  MPI_Comm_free(&logarithmic);
  MPI_Comm_free(&constant);
  MPI_Finalize();
  return 0;
}
