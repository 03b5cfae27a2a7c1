// Ranks 2 n and 2 n + 1 exchange messages, which takes long if PRETEND_NODES has them on different nodes.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { messages = 10, wait_us = 40000, tag = 5 };

// Letter of the process's node, by the rank that the launcher assigns.
static char node(void) {
  const char *nodes = getenv("PRETEND_NODES"), *launched = getenv("OMPI_COMM_WORLD_RANK");
  if (!launched) launched = getenv("PMI_RANK");
  size_t rank = launched ? (size_t)atoi(launched) : 0;
  return nodes && rank < strlen(nodes) ? nodes[rank] : '?';
}

int main(int argc, char **argv) {
  static char out[10000], in[10000];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int partner = rank ^ 1;
  for (int i = 0; partner < size && i < messages; i++) {
    out[0] = node();
    if (rank % 2) MPI_Recv(in, sizeof in, MPI_CHAR, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank % 2 == 0 && i > 0 && in[0] != out[0]) usleep(wait_us);
    MPI_Send(out, sizeof out, MPI_CHAR, partner, tag, MPI_COMM_WORLD);
    if (rank % 2 == 0) MPI_Recv(in, sizeof in, MPI_CHAR, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
