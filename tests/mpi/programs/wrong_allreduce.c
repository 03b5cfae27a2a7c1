// Linked with the collective probe: on the communicator of its arm 1, rank 1 gets a wrong last element.
#include <mpi.h>
#include <string.h>

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME];
  int length, rank, bytes;
  int code = PMPI_Allreduce(send, receive, count, type, op, comm);
  PMPI_Comm_get_name(comm, name, &length);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Type_size(type, &bytes);
  if (strcmp(name, "arm 1") == 0 && rank == 1) memset((char *)receive + (count - 1) * bytes, 0, bytes);
  return code;
}
