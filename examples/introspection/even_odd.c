/* A session on the even ranks, one on the odd: they also see messages between their processes on MPI_COMM_WORLD. */
#include <MPI_Monitoring.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, size, half_size, data = 0, received;
  MPI_Comm half;
  MPI_M_msid session;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_size(half, &half_size);

  MPI_M_init();
  MPI_M_start(half, &session);
  for (int distance = 1; distance <= 2; ++distance) {
    MPI_Sendrecv(&data, 1, MPI_INT, (rank + distance) % size, 0, &received, 1, MPI_INT, (rank + size - distance) % size,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_M_suspend(session);

  /* The message to the next rank goes to the other half. The message to the next but one stays in the same half. */
  unsigned long *messages = malloc((size_t)half_size * sizeof *messages);
  MPI_M_get_data(session, messages, MPI_M_DATA_IGNORE, MPI_M_USER_ONLY);
  char line[4096];
  int length = snprintf(line, sizeof line, "rank %d to the %s ranks:", rank, rank % 2 == 0 ? "even" : "odd");
  for (int to = 0; to < half_size && length < (int)sizeof line - 32; ++to) {
    length += snprintf(line + length, 32, " %lu", messages[to]);
  }
  printf("%s\n", line); /* in one piece, because the others print, too */
  free(messages);
  MPI_M_free(session);
  MPI_M_finalize();
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
