// Each of two ranks sends 10 messages of 1 to 10 ints to the other. tests/mpi/test_other_tools.py knows the figures.
// With -DPAST it first makes some calls by PMPI_ names, past all tools: 2 sends to nobody, and MPI_Pcontrol.
#include <mpi.h>
#include <stdio.h>

enum { MESSAGES = 10 };

int main(int argc, char **argv) {
  int rank, sum = 0, all = 0, data[MESSAGES] = {0}, room[MESSAGES];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef PAST
  for (int i = 0; i < 2; i++) PMPI_Send(data, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  PMPI_Pcontrol(3, 1, 2., 3);
#endif
  for (int i = 0; i < MESSAGES; i++) {
    MPI_Request request;
    data[0] = i;
    MPI_Irecv(room, MESSAGES, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(data, i + 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += room[0];
  }
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", all);
  // More integers than registers of any processor hold.
  MPI_Pcontrol(2, 3, 0.5);
  MPI_Pcontrol(15, 1, 2., 3, 4., 5, 6., 7, 8., 9, 10., 11, 12., 13, 14., 15);
  MPI_Finalize();
  return 0;
}
