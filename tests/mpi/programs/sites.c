// Calls MPI from known lines, a known number of times, on 2 processes: from here and from a library that is linked, or
// that is loaded while the program runs, if its path is given. tests/mpi/test_sites_of_calls.py knows the comments.
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

#ifdef LINKED
void sum_in_library(int times);
#endif

static int rank;

static inline __attribute__((always_inline)) void spread(double *value) {
  MPI_Bcast(value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);  // inlined
}

static __attribute__((noinline)) void exchange(int round) {
  double value = round;
  MPI_Request request;
  if (rank == 0) {
    MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);  // first send
    if (round % 2 == 0) {
      MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);  // second send
    }
    return;
  }
  for (int i = 0; i < (round % 2 == 0 ? 2 : 1); i++) {
    MPI_Irecv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);  // receive
    MPI_Wait(&request, MPI_STATUS_IGNORE);                             // wait
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double value = 0;
  for (int round = 0; round < 10; round++) {
    exchange(round);
    spread(&value);
  }
#ifdef LINKED
  sum_in_library(7);
#else
  void *library = dlopen(argv[1], RTLD_NOW);
  void (*sum)(int) = library != NULL ? (void (*)(int))dlsym(library, "sum_in_library") : NULL;
  if (sum == NULL) abort();
  sum(7);
#endif
  MPI_Request persistent;
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);                                  // last
  MPI_Send_init(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &persistent);  // initialise
  for (int i = 0; i < 3; i++) {
    MPI_Start(&persistent);                    // start
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);  // wait for it
  }
  MPI_Request_free(&persistent);
  MPI_Finalize();
  return 0;
}
