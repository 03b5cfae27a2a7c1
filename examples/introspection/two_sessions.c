/* Two sessions distinguish two collectives that follow each other directly. */
#include <MPI_Monitoring.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };

/* -1 if these messages are not visible. */
static long total(MPI_M_msid session, int flags, int size) {
  unsigned long sum = 0, *bytes = malloc((size_t)size * sizeof *bytes);
  const int error = MPI_M_get_data(session, MPI_M_DATA_IGNORE, bytes, flags);
  for (int to = 0; error == MPI_SUCCESS && to < size; ++to) sum += bytes[to];
  free(bytes);
  return error == MPI_SUCCESS ? (long)sum : -1;
}

int main(int argc, char **argv) {
  static double data[COUNT], sum[COUNT];
  int rank, size;
  MPI_M_msid broadcast, reduction;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_M_init();

  MPI_M_start(MPI_COMM_WORLD, &broadcast);
  MPI_Bcast(data, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_M_suspend(broadcast);

  MPI_M_start(MPI_COMM_WORLD, &reduction);
  MPI_Allreduce(data, sum, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_M_suspend(reduction);

  printf("rank %d sends inside MPI_Bcast %ld bytes (by definition %ld), inside MPI_Allreduce %ld (by definition %ld)\n",
         rank, total(broadcast, MPI_M_INSIDE_ONLY, size), total(broadcast, MPI_M_COLL_ONLY, size),
         total(reduction, MPI_M_INSIDE_ONLY, size), total(reduction, MPI_M_COLL_ONLY, size));
  MPI_M_free(MPI_M_ALL_MSID);
  MPI_M_finalize();
  MPI_Finalize();
  return 0;
}
