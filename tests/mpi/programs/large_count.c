// The large-count bindings of MPI 4.0, on two ranks. Elements of 3 MB and of 3 GiB (of which none is sent) make sizes
// that an int can't hold; tests/mpi/test_large_count.py expects them on the procedures' plain names.
#include <mpi.h>
#include <stdlib.h>

enum { MEGABYTES_3 = 3 << 20 };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned char *data = calloc(1, MEGABYTES_3);
  MPI_Datatype large, huge;
  MPI_Type_contiguous_c(MEGABYTES_3, MPI_BYTE, &large);
  MPI_Type_commit(&large);
  MPI_Type_contiguous_c((MPI_Count)3 << 30, MPI_BYTE, &huge);
  MPI_Type_commit(&huge);

  if (rank == 0) {
    data[MEGABYTES_3 - 1] = 7;
    MPI_Send_c(data, 1, large, 1, 1, MPI_COMM_WORLD);
    MPI_Send_c(data, 0, huge, 1, 1, MPI_COMM_WORLD);
    MPI_Send_c(data, (MPI_Count)5 << 30, huge, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Send_c(data, 1000, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    MPI_Count count;
    MPI_Recv_c(data, 1, large, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += data[MEGABYTES_3 - 1] != 7;
    MPI_Recv_c(data, 0, huge, 0, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_BYTE, &count);
    wrong += count != 0;
    // Room for more than an int can count: what is booked is what comes.
    MPI_Request request;
    MPI_Irecv_c(data, (MPI_Count)1 << 40, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    MPI_Get_count_c(&status, MPI_BYTE, &count);
    wrong += count != 1000;
  }

  MPI_Bcast_c(data, 1, large, 1, MPI_COMM_WORLD);
  MPI_Bcast_c(data, 0, huge, 0, MPI_COMM_WORLD);

  double one[100], sum[100];
  for (int i = 0; i < 100; i++) one[i] = 1;
  MPI_Allreduce_c(one, sum, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  wrong += sum[99] != 2;

  // Rank r sends r + d + 1 ints to d.
  int out[6] = {rank, rank, rank, rank, rank, rank}, in[6];
  const MPI_Count counts[2] = {rank + 1, rank + 2};
  const MPI_Aint places[2] = {0, 3};
  MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  wrong += in[0] != 0 || in[3] != 1;
  MPI_Alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts, places, MPI_INT, MPI_COMM_WORLD);

  MPI_Type_free(&large);
  MPI_Type_free(&huge);
  free(data);
  MPI_Finalize();
  return wrong != 0;
}
