// MPI_Bcast and MPI_Reduce before and after the ranks were reordered for them, each size by itself.
//
//   trees [PAIRS] [LARGEST]
//
// A session watches the operation once. Then both orders are timed in pairs, and the first of a pair alternates. Rank 0
// writes a line for each measurement: operation, bytes, seconds before, seconds after.
#include <MPI_Monitoring.h>

#include "job_time.h"

enum { kSmallest = 4096, kFactor = 16 };

typedef void (*operation)(char *data, char *result, int bytes, MPI_Comm comm);

static void broadcast(char *data, char *result, int bytes, MPI_Comm comm) {
  (void)result;
  MPI_Bcast(data, bytes, MPI_BYTE, 0, comm);
}

static void reduce(char *data, char *result, int bytes, MPI_Comm comm) {
  MPI_Reduce(data, result, bytes / (int)sizeof(int), MPI_INT, MPI_SUM, 0, comm);
}

static double timed(operation perform, char *data, char *result, int bytes, MPI_Comm comm) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  perform(data, result, bytes, comm);
  return slowest(MPI_Wtime() - start);
}

// The processes in the order that suits the operation.
static MPI_Comm reordered(operation perform, char *data, char *result, int bytes) {
  MPI_Comm comm;
  MPI_M_msid session;
  check(MPI_M_start(MPI_COMM_WORLD, &session) == MPI_SUCCESS, "MPI_M_start");
  perform(data, result, bytes, MPI_COMM_WORLD);
  MPI_M_suspend(session);
  check(MPI_M_reorder(session, MPI_COMM_WORLD, NULL, &comm, MPI_M_INT_IGNORE) == MPI_SUCCESS, "MPI_M_reorder");
  MPI_M_free(session);
  return comm;
}

static void measure(const char *name, operation perform, int pairs, int largest, int rank) {
  char *data = buffer((size_t)largest), *result = buffer((size_t)largest);
  for (int bytes = kSmallest; bytes <= largest; bytes *= kFactor) {
    MPI_Comm comms[2] = {MPI_COMM_WORLD, reordered(perform, data, result, bytes)};
    for (int pair = 0; pair < pairs; pair++) {
      double seconds[2];
      for (int turn = 0; turn < 2; turn++) {
        const int side = (pair + turn) % 2;
        seconds[side] = timed(perform, data, result, bytes, comms[side]);
      }
      if (rank == 0) printf("%s %d %.9f %.9f\n", name, bytes, seconds[0], seconds[1]);
    }
    MPI_Comm_free(&comms[1]);
  }
  free(data);
  free(result);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int pairs = number(argc, argv, 1, 8), largest = number(argc, argv, 2, 1048576);
  connect_all();
  MPI_M_init();
  measure("Bcast", broadcast, pairs, largest, rank);
  measure("Reduce", reduce, pairs, largest, rank);
  MPI_M_finalize();
  MPI_Finalize();
  return 0;
}
