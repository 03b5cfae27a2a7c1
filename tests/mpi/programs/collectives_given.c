// Collectives given on the command line: COLLECTIVE:BYTES:CALLS:COMMUNICATOR[:LATE_US] ..., all of them SWEEPS times.
// BYTES are those of a process' block or vector; COMMUNICATOR is world, rows (of halves of the world, side by side),
// or first (ranks 0 to n/2 - 1 alone). The last rank comes LATE_US late to each call.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compute(double seconds) {
  for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) {
  }
}

typedef struct {
  char name[32], where[16];
  long bytes, calls;
  double late;
} Part;

static Part part_of(const char *word) {
  Part part = {.late = 0};
  double late = 0;
  if (sscanf(word, "%31[^:]:%ld:%ld:%15[^:]:%lf", part.name, &part.bytes, &part.calls, part.where, &late) < 4) {
    fprintf(stderr, "%s?\n", word);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  part.late = late * 1e-6;
  return part;
}

static void call(const Part *part, MPI_Comm comm, char *from, char *to, int *counts, int *places) {
  int n;
  MPI_Comm_size(comm, &n);
  int bytes = (int)part->bytes, numbers = bytes / 8;
  for (int i = 0; i < n; i++) counts[i] = bytes, places[i] = i * bytes;
  const char *name = part->name;
  if (!strcmp(name, "allreduce")) {
    MPI_Allreduce(from, to, numbers, MPI_DOUBLE, MPI_SUM, comm);
  } else if (!strcmp(name, "bcast")) {
    MPI_Bcast(from, bytes, MPI_BYTE, 0, comm);
  } else if (!strcmp(name, "reduce")) {
    MPI_Reduce(from, to, numbers, MPI_DOUBLE, MPI_SUM, 0, comm);
  } else if (!strcmp(name, "allgather")) {
    MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm);
  } else if (!strcmp(name, "alltoall")) {
    MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm);
  } else if (!strcmp(name, "alltoallv")) {
    MPI_Alltoallv(from, counts, places, MPI_BYTE, to, counts, places, MPI_BYTE, comm);
  } else if (!strcmp(name, "gather")) {
    MPI_Gather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, comm);
  } else if (!strcmp(name, "scatter")) {
    MPI_Scatter(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, comm);
  } else if (!strcmp(name, "barrier")) {
    MPI_Barrier(comm);
  } else if (!strcmp(name, "compute")) {
    compute(1e-6 * (double)part->bytes);
  } else {
    fprintf(stderr, "%s?\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm rows, first;
  MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, rank, &rows);
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2 ? 0 : MPI_UNDEFINED, rank, &first);
  int sweeps = argc > 1 ? atoi(argv[1]) : 0;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    for (int i = 2; i < argc; i++) {
      Part part = part_of(argv[i]);
      MPI_Comm comm = part.where[0] == 'w' ? MPI_COMM_WORLD : part.where[0] == 'r' ? rows : first;
      if (comm == MPI_COMM_NULL) continue;
      char *from = calloc((size_t)size, (size_t)part.bytes + 8), *to = calloc((size_t)size, (size_t)part.bytes + 8);
      int *counts = malloc(2 * sizeof *counts * (size_t)size);
      for (long k = 0; k < part.calls; k++) {
        if (part.late > 0 && rank == size - 1) compute(part.late);
        call(&part, comm, from, to, counts, counts + size);
      }
      free(from), free(to), free(counts);
    }
  }
  if (first != MPI_COMM_NULL) MPI_Comm_free(&first);
  MPI_Comm_free(&rows);
  if (rank == 0) puts("done");
  MPI_Finalize();
  return 0;
}
