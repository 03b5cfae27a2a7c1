#include "failure.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void leave(const char *directory, const char *line) {
  char path[4096];
  snprintf(path, sizeof path, "%s/error", directory);
  FILE *file = fopen(path, "w");
  bool is_written = file && fprintf(file, "%s\n", line) > 0;
  if (file && fclose(file) != 0) is_written = false;
  if (is_written) return;
  remove(path);
  fprintf(stderr, "probe: %s\n", line);
}

bool failure_anywhere(const char *directory, const char *line) {
  int rank, first;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int mine = line[0] ? rank : INT_MAX;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == rank) leave(directory, line);
  return first != INT_MAX;
}

void *needed(size_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory) {
    fprintf(stderr, "probe: no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, STATUS_OF_FAILURE);
  }
  return memory;
}
