// Calls collectives, once each: three sizes on communicators of three sizes, named n6, n5, n4 (of 6 processes).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 3, COMMUNICATORS = 3 };

static const int sizes[SIZES] = {64, 4096, 65536};

static void call_all(MPI_Comm comm, int processes) {
  const size_t most = (size_t)sizes[SIZES - 1] * (size_t)processes;
  char *out = calloc(1, most), *in = calloc(1, most);
  int *counts = calloc((size_t)processes, sizeof *counts), *places = calloc((size_t)processes, sizeof *places);
  for (int i = 0; i < SIZES; i++) {
    const int size = sizes[i], count = size / (int)sizeof(int);
    for (int rank = 0; rank < processes; rank++) {
      counts[rank] = size;
      places[rank] = rank * size;
    }
    MPI_Bcast(out, size, MPI_BYTE, 0, comm);
    MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm);
    MPI_Allgather(out, size, MPI_BYTE, in, size, MPI_BYTE, comm);
    MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_SUM, comm);
    MPI_Alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, comm);
  }
  free(out);
  free(in);
  free(counts);
  free(places);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int processes = size; processes > size - COMMUNICATORS && processes > 0; processes--) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank < processes ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) continue;
    char name[16];
    snprintf(name, sizeof name, "n%d", processes);
    MPI_Comm_set_name(comm, name);
    call_all(comm, processes);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
