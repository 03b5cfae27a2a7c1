// Collectives between two groups: world ranks 0 and 1 (A), and 2 to 4 (B).
// tests/mpi/test_intercommunicator.py has the bytes.
#include <mpi.h>

enum { IN_A = 2, P = 5, TAG = 5, ROOM = 100 };

#define INT MPI_INT

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  const int a = world < IN_A, me = a ? world : world - IN_A, remote = a ? P - IN_A : IN_A;
  MPI_Comm group, X;
  MPI_Comm_split(MPI_COMM_WORLD, a, world, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, a ? IN_A : 0, TAG, &X);

  // Roots: the process that is one, the others of its group, the other group.
  const int a0 = a ? (me == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, a1 = a ? (me == 1 ? MPI_ROOT : MPI_PROC_NULL) : 1;
  const int b0 = a ? 0 : (me == 0 ? MPI_ROOT : MPI_PROC_NULL), b1 = a ? 1 : (me == 1 ? MPI_ROOT : MPI_PROC_NULL);
  static int in[ROOM], out[ROOM];
  const int counts[] = {1, 2, 3}, places[] = {0, 1, 3}, ones[] = {1, 1, 1}, from_a[] = {me + 1, me + 1};
  const int places_a[] = {0, 10};

  MPI_Barrier(X);
  MPI_Bcast(in, 5, INT, a0, X);
  MPI_Bcast(in, 6, INT, b1, X);
  MPI_Gather(in, 7, INT, out, 7, INT, b0, X);
  MPI_Gatherv(in, a ? 0 : me + 1, INT, out, counts, places, INT, a1, X);
  MPI_Scatter(in, 8, INT, out, 8, INT, a0, X);
  MPI_Scatterv(in, counts, places, INT, out, me + 1, INT, b0, X);
  MPI_Allgather(in, a ? 9 : 2, INT, out, a ? 2 : 9, INT, X);
  MPI_Allgatherv(in, me + 1, INT, out, counts, places, INT, X);
  MPI_Alltoall(in, 3, INT, out, 3, INT, X);
  MPI_Alltoallv(in, a ? counts : ones, places, INT, out, a ? ones : from_a, a ? places : places_a, INT, X);
  MPI_Reduce(in, out, 10, INT, MPI_SUM, a0, X);
  MPI_Allreduce(in, out, 11, INT, MPI_SUM, X);
  MPI_Reduce_scatter_block(in, out, remote, INT, MPI_SUM, X);
  MPI_Request request;
  MPI_Ibcast(in, 12, INT, a1, X, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Comm_free(&X);
  MPI_Comm_free(&group);
  MPI_Finalize();
  return 0;
}
