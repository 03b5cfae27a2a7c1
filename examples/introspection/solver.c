// Continues in a better order: solves -u'' = 1 on a square with u = 0 at its edges by Jacobi's method, monitors the
// first iterations, gives each process a rank whose neighbours are near it, and goes on there.
//
//   mpirun -n 16 --map-by node ./solver          # neighbours are on other nodes: reordered
//   mpirun -n 16 --map-by node ./solver -p       # only if it is profitable
//   mpirun -n 16 --map-by node ./solver -k       # the same, in the original order
//
//   -n POINTS    side length of each process's part (256)
//   -i COUNT     total iterations (200)
//   -f COUNT     the first iterations, which are monitored (10)
//   -m FILE      a machine.json
//   -p           reorder only if that saves more time than it costs
//   -k           keep the order
#include <MPI_Monitoring.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Options {
  int points, iterations, first, profitable, keep;
  const char *machine;
};

// The part of the square that a process works on, surrounded by the edges of its neighbours. The part and the
// neighbours follow from the rank.
struct Part {
  MPI_Comm comm;
  int rank, rows, columns;  // of parts
  int points;
  int above, below, left, right;
  double *now, *next;  // [points + 2][points + 2]
  MPI_Datatype column;
};

static size_t numbers(const struct Part *part) { return (size_t)(part->points + 2) * (size_t)(part->points + 2); }

static size_t at(const struct Part *part, int row, int column) {
  return (size_t)row * (size_t)(part->points + 2) + (size_t)column;
}

static int neighbour(const struct Part *part, int down, int right) {
  const int row = part->rank / part->columns + down, column = part->rank % part->columns + right;
  const int inside = row >= 0 && row < part->rows && column >= 0 && column < part->columns;
  return inside ? row * part->columns + column : MPI_PROC_NULL;
}

static void work_in(struct Part *part, MPI_Comm comm) {
  int size, dims[2] = {0, 0};
  part->comm = comm;
  MPI_Comm_rank(comm, &part->rank);
  MPI_Comm_size(comm, &size);
  MPI_Dims_create(size, 2, dims);
  part->rows = dims[0];
  part->columns = dims[1];
  part->above = neighbour(part, -1, 0);
  part->below = neighbour(part, 1, 0);
  part->left = neighbour(part, 0, -1);
  part->right = neighbour(part, 0, 1);
}

static void exchange_edges(const struct Part *part) {
  const int n = part->points;
  double *u = part->now;
  MPI_Request requests[8];
  MPI_Status statuses[8];
  MPI_Irecv(&u[at(part, 0, 1)], n, MPI_DOUBLE, part->above, 0, part->comm, &requests[0]);
  MPI_Irecv(&u[at(part, n + 1, 1)], n, MPI_DOUBLE, part->below, 0, part->comm, &requests[1]);
  MPI_Irecv(&u[at(part, 1, 0)], 1, part->column, part->left, 0, part->comm, &requests[2]);
  MPI_Irecv(&u[at(part, 1, n + 1)], 1, part->column, part->right, 0, part->comm, &requests[3]);
  MPI_Isend(&u[at(part, 1, 1)], n, MPI_DOUBLE, part->above, 0, part->comm, &requests[4]);
  MPI_Isend(&u[at(part, n, 1)], n, MPI_DOUBLE, part->below, 0, part->comm, &requests[5]);
  MPI_Isend(&u[at(part, 1, 1)], 1, part->column, part->left, 0, part->comm, &requests[6]);
  MPI_Isend(&u[at(part, 1, n)], 1, part->column, part->right, 0, part->comm, &requests[7]);
  MPI_Waitall(8, requests, statuses);
}

// The largest change. The maximum is the same in any order, so the result is, too.
static double iterate(struct Part *part) {
  const double step = 1.0 / (part->rows * part->points + 1);
  double largest = 0, of_all;
  exchange_edges(part);
  for (int row = 1; row <= part->points; row++) {
    const double *u = &part->now[at(part, row, 0)];
    const double *up = &part->now[at(part, row - 1, 0)], *down = &part->now[at(part, row + 1, 0)];
    double *next = &part->next[at(part, row, 0)];
    for (int i = 1; i <= part->points; i++) {
      next[i] = 0.25 * (u[i - 1] + u[i + 1] + up[i] + down[i] + step * step);
      largest = fmax(largest, fabs(next[i] - u[i]));
    }
  }
  double *done = part->next;
  part->next = part->now;
  part->now = done;
  MPI_Allreduce(&largest, &of_all, 1, MPI_DOUBLE, MPI_MAX, part->comm);
  return of_all;
}

// Seconds, on the slowest process.
static double iterations(struct Part *part, int count, double *change) {
  double seconds, slowest;
  MPI_Barrier(part->comm);
  seconds = MPI_Wtime();
  for (int i = 0; i < count; i++) *change = iterate(part);
  seconds = MPI_Wtime() - seconds;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, part->comm);
  return slowest;
}

// The time of reordering, and how many processes have a new rank.
struct Cost {
  double order, data;
  int moved;
};

static void check(int error, const char *what) {
  if (error == MPI_SUCCESS) return;
  fprintf(stderr, "solver: %s returned %d\n", what, error);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// A communicator with k; none if it would not be profitable.
static MPI_Comm new_order(MPI_M_msid session, const struct Part *part, const struct Options *options, int *k) {
  MPI_Comm better;
  if (!options->profitable) {
    check(MPI_M_reorder(session, part->comm, options->machine, &better, k), "MPI_M_reorder");
    return better;
  }
  // The session has recorded the first iterations.
  MPI_M_forecast forecast = {.repetitions = (double)options->iterations / options->first - 1,
                             .bytes = (double)(numbers(part) * sizeof *part->now)};
  check(MPI_M_reorder_if_profitable(session, part->comm, options->machine, &forecast, &better, k),
        "MPI_M_reorder_if_profitable");
  if (part->rank == 0) printf("%s\n", forecast.reason);
  return better;
}

// The first iterations, and then the same part of the square on another process.
static double first_iterations(struct Part *part, const struct Options *options, double *change, struct Cost *cost) {
  MPI_M_msid session;
  MPI_Comm better, before = part->comm;
  int size;
  MPI_Comm_size(before, &size);
  int *k = malloc((size_t)size * sizeof *k);
  if (!k) MPI_Abort(before, 1);
  check(MPI_M_init(), "MPI_M_init");
  check(MPI_M_start(before, &session), "MPI_M_start");
  const double seconds = iterations(part, options->first, change);
  check(MPI_M_suspend(session), "MPI_M_suspend");

  double started = MPI_Wtime();
  better = new_order(session, part, options, k);
  cost->order = MPI_Wtime() - started;
  if (better == MPI_COMM_NULL) {
    check(MPI_M_free(session), "MPI_M_free");
    check(MPI_M_finalize(), "MPI_M_finalize");
    free(k);
    return seconds;
  }
  // Rank r of `better` takes over from rank r and needs its numbers. `next` only provides space.
  started = MPI_Wtime();
  const int count = (int)numbers(part);
  check(MPI_M_redistribute(part->now, count, part->next, count, MPI_DOUBLE, before, k), "MPI_M_redistribute");
  memcpy(part->now, part->next, numbers(part) * sizeof *part->now);
  cost->data = MPI_Wtime() - started;
  work_in(part, better);
  // The edges of the square are 0 in both; edges next to another part arrive with the next exchange.
  for (int i = 0; i < size; i++) cost->moved += k[i] != i;

  check(MPI_M_free(session), "MPI_M_free");
  check(MPI_M_finalize(), "MPI_M_finalize");
  free(k);
  return seconds;
}

static struct Options understand(int argc, char **argv) {
  struct Options options = {256, 200, 10, 0, 0, NULL};
  for (int option; (option = getopt(argc, argv, "n:i:f:m:pk")) != -1;) {
    if (option == 'n') options.points = atoi(optarg);
    if (option == 'i') options.iterations = atoi(optarg);
    if (option == 'f') options.first = atoi(optarg);
    if (option == 'm') options.machine = optarg;
    if (option == 'p') options.profitable = 1;
    if (option == 'k') options.keep = 1;
    if (option == '?') MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (options.points < 1 || options.points > 10000 || options.first < 1 || options.first >= options.iterations) {
    fprintf(stderr, "solver: -n must be from 1 to 10000, and 0 < -f < -i\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return options;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct Options options = understand(argc, argv);
  struct Part part = {.points = options.points};
  struct Cost cost = {0, 0, 0};
  double change;
  work_in(&part, MPI_COMM_WORLD);
  part.now = calloc(numbers(&part), sizeof *part.now);
  part.next = calloc(numbers(&part), sizeof *part.next);
  if (!part.now || !part.next) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Type_vector(part.points, 1, part.points + 2, MPI_DOUBLE, &part.column);
  MPI_Type_commit(&part.column);

  const double first =
      options.keep ? iterations(&part, options.first, &change) : first_iterations(&part, &options, &change, &cost);
  const int others = options.iterations - options.first;
  const double rest = iterations(&part, others, &change);
  if (part.rank == 0) {
    printf("%d x %d parts of %d x %d points, %d iterations\n", part.rows, part.columns, part.points, part.points,
           options.iterations);
    printf("largest change in the last: %.17g\n", change);
    printf("seconds an iteration: %.9f in the first %d, %.9f in the others\n", first / options.first, options.first,
           rest / others);
    if (!options.keep)
      printf("reordering: %.9f s for the order, %.9f s for the data; %d ranks moved\n", cost.order, cost.data,
             cost.moved);
  }
  if (part.comm != MPI_COMM_WORLD) MPI_Comm_free(&part.comm);
  MPI_Type_free(&part.column);
  free(part.now);
  free(part.next);
  MPI_Finalize();
  return 0;
}
