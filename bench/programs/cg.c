// The exchange of NAS CG: a conjugate gradient method whose matrix is divided among a grid of ranks.
//
//   cg [VECTOR LENGTH] [ITERATIONS]
//
// The benchmark: Bailey et al., The NAS Parallel Benchmarks, RNR-94-007. Each rank has a block of the matrix. For a
// product, the ranks of a grid row add up their parts by recursive halving and doubling. Then each rank exchanges with
// its counterpart across the diagonal, because the result is divided by rows and the next factor by columns. The two
// dot products of an iteration are summed along the rows, too. The number of ranks is a power of 2; the grid has as
// many columns as rows or twice as many.
//
// The matrix is the identity here, so that the result is known, and almost all time goes to the exchange.
#include <string.h>

#include "job_time.h"

static int rank, rows, columns, row, column;

static void make_grid(int size) {
  check((size & (size - 1)) == 0, "the number of ranks is no power of 2");
  for (columns = 1, rows = 1; rows * columns < size;) *(columns > rows ? &rows : &columns) *= 2;
  row = rank / columns;
  column = rank % columns;
}

static int across_the_diagonal(void) {
  if (rows == columns) return column * columns + row;
  return column / 2 * columns + 2 * row + column % 2;
}

static void exchange(double *out, double *in, int count, int peer) {
  MPI_Sendrecv(out, count, MPI_DOUBLE, peer, 0, in, count, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Each rank of a row gets the sum over the row.
static void sum_along_row(double *values, double *in, int count) {
  int first = 0;
  for (int step = columns / 2; step >= 1; step /= 2) {
    count /= 2;
    const int upper = column & step, kept = first + (upper ? count : 0), given = first + (upper ? 0 : count);
    exchange(values + given, in, count, rank ^ step);
    for (int i = 0; i < count; i++) values[kept + i] += in[i];
    first = kept;
  }
  for (int step = 1; step < columns; step *= 2) {
    const int other = column & step ? first - count : first + count;
    exchange(values + first, values + other, count, rank ^ step);
    first = other < first ? other : first;
    count *= 2;
  }
}

static double dot(const double *values, int count) {
  double sum = 0, in;
  for (int i = 0; i < count; i++) sum += values[i] * values[i];
  for (int step = 1; step < columns; step *= 2) {
    exchange(&sum, &in, 1, rank ^ step);
    sum += in;
  }
  return sum;
}

int main(int argc, char **argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  make_grid(size);
  const int iterations = number(argc, argv, 2, 25);
  const int length = (number(argc, argv, 1, 65536) + size - 1) / size * size;
  const int of_row = length / rows, of_column = length / columns, part = column % (columns / rows) * of_column;
  double *factor = (double *)buffer(sizeof(double) * (size_t)of_column);
  double *product = (double *)buffer(sizeof(double) * (size_t)of_row);
  double *in = (double *)buffer(sizeof(double) * (size_t)of_row);
  for (int i = 0; i < of_column; i++) factor[i] = column * of_column + i + 1;
  const double expected = (double)length * (length + 1.0) * (2.0 * length + 1.0) / 6;

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < iterations; i++) {
    memset(product, 0, sizeof(double) * (size_t)of_row);
    if (column / (columns / rows) == row) memcpy(product + part, factor, sizeof(double) * (size_t)of_column);
    sum_along_row(product, in, of_row);
    exchange(product + part, factor, of_column, across_the_diagonal());
    for (int product_of_two = 0; product_of_two < 2; product_of_two++) {
      const double ratio = dot(factor, of_column) / expected;
      check(ratio > 1 - 1e-9 && ratio < 1 + 1e-9, "the dot product");
    }
  }
  print_seconds(start);
  for (int i = 0; i < of_column; i++) check(factor[i] == column * of_column + i + 1, "the product");
  free(factor);
  free(product);
  free(in);
  MPI_Finalize();
  return 0;
}
