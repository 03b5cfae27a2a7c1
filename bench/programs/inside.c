// The cost of observing the messages inside collectives.
//
//     mpirun -n 2 ./inside OUT [ROUNDS]
//
// Writes JSON lines to OUT.RANK. In the first row a process sends messages to itself, as its own neighbour on a
// periodic grid: no other process takes part, so the row shows the cost of a message. The second is the root of a
// broadcast to one other rank. The Alltoall rows are whole exchanges between all ranks.

#include "measure.h"

enum { kCalls = 64, kExchanges = 8, kLargest = 512 << 10, kDimensions = 4, kNeighbours = 2 * kDimensions };

static const int sizes[] = {0, 256, 4 << 10, 32 << 10, 128 << 10, kLargest};
enum { kSizes = sizeof sizes / sizeof *sizes };

static char *out_buffer, *in_buffer;

static double two_clock_reads(void) {
  TIMED(kCalls, {
    const uint64_t before = ticks();
    sink += ticks() - before;
  });
}

static MPI_Comm grid;  // for this process only

static void make_grid(void) {
  int dims[kDimensions], periods[kDimensions];
  for (int d = 0; d < kDimensions; d++) dims[d] = periods[d] = 1;
  MPI_Cart_create(MPI_COMM_SELF, kDimensions, dims, periods, 0, &grid);
}

static double neighbours(void) {
  TIMED(kCalls, MPI_Neighbor_alltoall(out_buffer, 8, MPI_CHAR, in_buffer, 8, MPI_CHAR, grid));
}

static double broadcasts(void) { TIMED(kCalls, MPI_Bcast(out_buffer, 8, MPI_CHAR, 0, MPI_COMM_WORLD)); }

static double exchanges(int size) {
  TIMED(kExchanges, MPI_Alltoall(out_buffer, size, MPI_CHAR, in_buffer, size, MPI_CHAR, MPI_COMM_WORLD));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = rounds_of(argc, argv);
  open_out(argc, argv, rank);
  out_buffer = calloc((size_t)ranks + 1, kLargest);
  in_buffer = calloc((size_t)ranks + 1, kLargest);
  make_grid();
  double *reads = calloc((size_t)rounds, sizeof *reads);
  double *neighbour = calloc((size_t)rounds, sizeof *neighbour);
  double *broadcast = calloc((size_t)rounds, sizeof *broadcast);
  double *exchange[kSizes];
  for (int s = 0; s < kSizes; s++) exchange[s] = calloc((size_t)rounds, sizeof **exchange);

  for (int round = -2; round < rounds; round++) {  // two for warm-up
    const int kept = round < 0 ? 0 : round;
    reads[kept] = two_clock_reads() / kCalls;
    neighbour[kept] = neighbours() / kCalls / kNeighbours;
    MPI_Barrier(MPI_COMM_WORLD);
    broadcast[kept] = broadcasts() / kCalls;
    for (int s = 0; s < kSizes; s++) {
      MPI_Barrier(MPI_COMM_WORLD);
      exchange[s][kept] = exchanges(sizes[s]) / kExchanges;
    }
  }
  print_row("two clock reads", reads, rounds, kCalls);
  if (rank == 0) print_row("Neighbor_alltoall, a message", neighbour, rounds, kCalls);
  if (rank == 0) print_row("Bcast, one message", broadcast, rounds, kCalls);
  for (int s = 0; s < kSizes; s++) {
    char name[64];
    snprintf(name, sizeof name, "Alltoall, %d B", sizes[s]);
    if (rank == 0) print_row(name, exchange[s], rounds, kExchanges);
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  fclose(out);
  return sink == 1;  // never true, but the compiler doesn't know
}
