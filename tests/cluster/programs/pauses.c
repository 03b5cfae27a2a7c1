// Two processes exchange data of random sizes with random pauses, while tests/cluster/traffic/sampler.py looks on.
//
// Arguments: what ("messages" or "collectives"), number of operations, directory where the two programs meet. The file
// `sampling` there is the sign to begin; `done` is ours, and `sampled` the sign that the sampler has seen the end.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { smallest = 1024, largest = 1048576, longest_pause_us = 60000, patience_ms = 20000 };

static unsigned long long state = 20240229;

static unsigned below(unsigned limit) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)((state >> 33) % limit);
}

static void meet(const char *directory, const char *name) {
  char path[4096];
  struct stat found;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  for (int waited = 0; stat(path, &found) != 0; waited++) {
    if (waited == patience_ms) {
      fprintf(stderr, "no %s\n", path);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    usleep(1000);
  }
}

static void tell(const char *directory, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "w");
  if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  fclose(file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int collectives = strcmp(argv[1], "collectives") == 0;
  const int count = atoi(argv[2]);
  const char *directory = argv[3];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *from = calloc(1, largest);
  char *to = calloc(1, largest);
  meet(directory, "sampling");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; i++) {
    const int bytes = (int)(smallest + below(largest - smallest)) & ~7;
    const unsigned pause = below(longest_pause_us);
    if (!collectives) {
      if (rank == 0) MPI_Send(from, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      if (rank == 1) MPI_Recv(to, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (i % 2 == 0) {
      MPI_Bcast(from, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    usleep(pause);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) tell(directory, "done");
  meet(directory, "sampled");
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
