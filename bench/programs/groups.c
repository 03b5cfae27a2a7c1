// MPI_Allgather in groups: in the original order, with reordering after the first iteration, and with reordering if it
// is profitable. The time of reordering counts.
//
//   groups [REPETITIONS] [RANKS OF A GROUP] [LARGEST]
//
// A group is a set of consecutive ranks. A session watches the first iteration of each repetition; then the program
// reorders the ranks, recreates the groups and goes on. No data has to move to another process. Rank 0 writes a line
// for each measurement: bytes, iterations, seconds of all iterations in the old order, seconds of the first iteration
// and the others in the new order, seconds of watching, reordering and making groups, seconds of everything if only a
// profitable order is taken, and whether one was.
#include <MPI_Monitoring.h>

#include "job_time.h"

static const int marks[] = {1, 3, 10, 30, 100, 300};  // numbers of iterations
enum { kMarks = sizeof marks / sizeof *marks, kSmallest = 1024, kFactor = 4 };

typedef struct {
  char *mine, *all;
  int bytes;
} Data;

static MPI_Comm group_of(MPI_Comm comm, int length) {
  int rank;
  MPI_Comm group;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split(comm, rank / length, rank, &group);
  return group;
}

// Fills in the elapsed time at the marks, after the iterations that are done already.
static void iterate(Data data, MPI_Comm group, int done, double *seconds) {
  const double start = MPI_Wtime();
  for (int mark = 0, i = done; mark < kMarks; mark++) {
    for (; i < marks[mark]; i++) MPI_Allgather(data.mine, data.bytes, MPI_BYTE, data.all, data.bytes, MPI_BYTE, group);
    seconds[mark] = MPI_Wtime() - start;
  }
}

static void as_it_is(Data data, int length, double *seconds) {
  MPI_Comm group = group_of(MPI_COMM_WORLD, length);
  MPI_Barrier(MPI_COMM_WORLD);
  iterate(data, group, 0, seconds);
  MPI_Comm_free(&group);
}

// Returns the seconds that watching and reordering took.
static double with_reordering(Data data, int length, double *seconds) {
  MPI_Comm group = group_of(MPI_COMM_WORLD, length), optimised;
  MPI_M_msid session;
  MPI_Barrier(MPI_COMM_WORLD);
  double cost = -MPI_Wtime();
  check(MPI_M_start(MPI_COMM_WORLD, &session) == MPI_SUCCESS, "MPI_M_start");
  const double start = MPI_Wtime();
  MPI_Allgather(data.mine, data.bytes, MPI_BYTE, data.all, data.bytes, MPI_BYTE, group);
  const double first = MPI_Wtime() - start;
  MPI_M_suspend(session);
  check(MPI_M_reorder(session, MPI_COMM_WORLD, NULL, &optimised, MPI_M_INT_IGNORE) == MPI_SUCCESS, "MPI_M_reorder");
  MPI_M_free(session);
  MPI_Comm_free(&group);
  group = group_of(optimised, length);
  cost += MPI_Wtime() - first;
  iterate(data, group, 1, seconds);
  for (int mark = 0; mark < kMarks; mark++) seconds[mark] += first;
  MPI_Comm_free(&group);
  MPI_Comm_free(&optimised);
  return cost;
}

// Returns the seconds of all iterations, and of deciding; fills in whether there is a new order.
static double if_profitable(Data data, int length, int iterations, int *reordered) {
  MPI_Comm group = group_of(MPI_COMM_WORLD, length), optimised;
  MPI_M_msid session;
  MPI_M_forecast forecast = {.repetitions = iterations - 1};
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  check(MPI_M_start(MPI_COMM_WORLD, &session) == MPI_SUCCESS, "MPI_M_start");
  MPI_Allgather(data.mine, data.bytes, MPI_BYTE, data.all, data.bytes, MPI_BYTE, group);
  MPI_M_suspend(session);
  check(MPI_M_reorder_if_profitable(session, MPI_COMM_WORLD, NULL, &forecast, &optimised, MPI_M_INT_IGNORE) ==
            MPI_SUCCESS,
        "MPI_M_reorder_if_profitable");
  MPI_M_free(session);
  if (forecast.reordered) {
    MPI_Comm_free(&group);
    group = group_of(optimised, length);
  }
  for (int i = 1; i < iterations; i++)
    MPI_Allgather(data.mine, data.bytes, MPI_BYTE, data.all, data.bytes, MPI_BYTE, group);
  const double seconds = MPI_Wtime() - start;
  MPI_Comm_free(&group);
  if (forecast.reordered) MPI_Comm_free(&optimised);
  *reordered = forecast.reordered;
  return seconds;
}

static void measure(Data data, int length, int repetition, int rank) {
  double before[kMarks], after[kMarks], cost = 0;
  for (int turn = 0; turn < 2; turn++) {
    if ((repetition + turn) % 2)
      cost = with_reordering(data, length, after);
    else
      as_it_is(data, length, before);
  }
  cost = slowest(cost);
  for (int mark = 0; mark < kMarks; mark++) {
    int reordered;
    const double choice = slowest(if_profitable(data, length, marks[mark], &reordered));
    const double old = slowest(before[mark]), new = slowest(after[mark]);
    if (rank == 0)
      printf("Allgather %d %d %.9f %.9f %.9f %.9f %d\n", data.bytes, marks[mark], old, new, cost, choice, reordered);
  }
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int repetitions = number(argc, argv, 1, 3), length = number(argc, argv, 2, 2);
  const int largest = number(argc, argv, 3, 65536);
  connect_all();
  MPI_M_init();
  for (int bytes = kSmallest; bytes <= largest; bytes *= kFactor) {
    const Data data = {buffer((size_t)bytes), buffer((size_t)bytes * (size_t)length), bytes};
    for (int repetition = 0; repetition < repetitions; repetition++) measure(data, length, repetition, rank);
    free(data.mine);
    free(data.all);
  }
  MPI_M_finalize();
  MPI_Finalize();
  return 0;
}
