// Each rank writes to the file <argument>.<rank>: its host, the number of ranks that it shares memory with (itself
// counted), and the processors that it may run on.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, sharing;
  MPI_Comm node;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &sharing);
  MPI_Comm_free(&node);

  char host[256], path[4096];
  cpu_set_t allowed;
  gethostname(host, sizeof host);
  sched_getaffinity(0, sizeof allowed, &allowed);
  snprintf(path, sizeof path, "%s.%d", argv[1], rank);
  FILE *file = fopen(path, "w");
  if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  fprintf(file, "%s %d", host, sharing);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, &allowed)) fprintf(file, " %d", cpu);
  }
  fclose(file);
  MPI_Finalize();
  return 0;
}
