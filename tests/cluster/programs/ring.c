// Messages around the ring of all ranks, and sums over the ranks of the nodes with an even and with an odd number.
// tests/cluster knows each byte. With an argument, each rank writes its environment to the file <argument>.<rank>.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const int rounds = 3;
static const int sums = 5;
static char data[10000];
static char room[10000];

static void write_environment(const char *prefix, int rank) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", prefix, rank);
  FILE *file = fopen(path, "w");
  if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (char **variable = environ; *variable != NULL; variable++) fwrite(*variable, 1, strlen(*variable) + 1, file);
  fclose(file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) write_environment(argv[1], rank);

  // Rank r sends 1000 (r + 1) bytes to the next one.
  for (int i = 0; i < rounds; i++) {
    MPI_Sendrecv(data, 1000 * (rank + 1), MPI_BYTE, (rank + 1) % size, i, room, sizeof room, MPI_BYTE,
                 (rank + size - 1) % size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  char host[256];
  gethostname(host, sizeof host);
  const int node = atoi(host + strcspn(host, "0123456789"));
  MPI_Comm parity;
  MPI_Comm_split(MPI_COMM_WORLD, node % 2, rank, &parity);
  double sum[3] = {rank, rank, rank};
  for (int i = 0; i < sums; i++) {
    const double mine[3] = {rank, rank, rank};
    MPI_Allreduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, parity);
  }
  MPI_Comm_free(&parity);

  printf("rank %d of %d on %s: %g\n", rank, size, host, sum[0]);
  MPI_Finalize();
  return 7 * (size == 1);  // alone, it was not started as it should be
}
