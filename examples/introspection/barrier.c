/* How is MPI_Barrier built? A session around one barrier shows which ranks send to each other inside it. */
#include <MPI_Monitoring.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, size;
  MPI_M_msid session;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  unsigned long *messages = rank == 0 ? malloc((size_t)size * (size_t)size * sizeof *messages) : NULL;

  MPI_M_init();
  MPI_Barrier(MPI_COMM_WORLD); /* the first one may include setup messages */
  MPI_M_start(MPI_COMM_WORLD, &session);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_M_suspend(session);
  MPI_M_rootgather_data(session, 0, messages, MPI_M_DATA_IGNORE, MPI_M_P2P_ONLY);
  MPI_M_free(session);
  MPI_M_finalize();

  if (rank == 0) {
    printf("messages of one MPI_Barrier, a line for each sender\n");
    for (int from = 0; from < size; ++from) {
      for (int to = 0; to < size; ++to) printf(" %3lu", messages[from * size + to]);
      printf("\n");
    }
    free(messages);
  }
  MPI_Finalize();
  return 0;
}
