// A tool around calls that run callbacks and calls that callbacks make, which forwards to the PMPI names. With -DOWN it
// makes calls of its own, too.
#include <mpi.h>

__attribute__((noinline)) static void own_work(MPI_Comm comm) {
#ifdef OWN
  MPI_Barrier(comm);
  PMPI_Comm_set_name(comm, "by the tool");
#else
  (void)comm;
#endif
}

int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm) == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER; }

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  const int rc = PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
  return rc == MPI_SUCCESS ? MPI_SUCCESS : rc;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy) {
  own_work(comm);
  const int rc = PMPI_Comm_dup(comm, copy);
  own_work(comm);
  return rc;
}

int MPI_Finalize(void) {
  own_work(MPI_COMM_WORLD);
  const int rc = PMPI_Finalize();
  return rc;
}
