// Correct programs that some settings of collectives break: CASE on the command line. Prints "right" or "wrong".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, NUMBERS = 4 };

// Products of 2 x 2 matrices, which do not commute: inout = in x inout.
static void multiply(void *in, void *inout, int *len, MPI_Datatype *type) {
  (void)type;
  const unsigned *a = in;
  unsigned *b = inout;
  for (int i = 0; i < *len; i++, a += NUMBERS, b += NUMBERS) {
    unsigned product[NUMBERS] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                                 a[2] * b[1] + a[3] * b[3]};
    memcpy(b, product, sizeof product);
  }
}

static void matrices(unsigned *to, int count, unsigned rank) {
  for (unsigned i = 0; i < (unsigned)count; i++) {
    unsigned one[NUMBERS] = {1 + rank, 2 + i % 7, 3 + rank % 3, 5 + rank * i % 11};
    memcpy(to + (size_t)NUMBERS * i, one, sizeof one);
  }
}

// The products of all ranks' matrices, in the order of the ranks.
static unsigned *expected(int count, int size) {
  unsigned *product = malloc(sizeof *product * NUMBERS * (size_t)count),
           *next = malloc(sizeof *next * NUMBERS * (size_t)count);
  matrices(product, count, 0);
  for (int rank = 1; rank < size; rank++) {
    matrices(next, count, (unsigned)rank);
    multiply(product, next, &count, NULL);
    memcpy(product, next, sizeof *next * NUMBERS * (size_t)count);
  }
  free(next);
  return product;
}

static int not_commutative(const char *collective, int rank, int size) {
  MPI_Datatype matrix;
  MPI_Type_contiguous(NUMBERS, MPI_UNSIGNED, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op product;
  MPI_Op_create(multiply, 0, &product);
  int all = COUNT * size, *counts = malloc(sizeof *counts * (size_t)size);
  size_t bytes = sizeof(unsigned) * NUMBERS;
  unsigned *from = malloc(bytes * (size_t)all), *to = calloc((size_t)all, bytes), *right = expected(all, size);
  matrices(from, all, (unsigned)rank);
  for (int i = 0; i < size; i++) counts[i] = COUNT;
  int wrong = 0;
  if (!strcmp(collective, "allreduce")) {
    MPI_Allreduce(from, to, COUNT, matrix, product, MPI_COMM_WORLD);
    wrong = memcmp(to, right, bytes * COUNT) != 0;
  } else if (!strcmp(collective, "reduce")) {
    MPI_Reduce(from, to, COUNT, matrix, product, 0, MPI_COMM_WORLD);
    wrong = rank == 0 && memcmp(to, right, bytes * COUNT) != 0;
  } else if (!strcmp(collective, "reduce_scatter")) {
    MPI_Reduce_scatter(from, to, counts, matrix, product, MPI_COMM_WORLD);
    wrong = memcmp(to, right + (size_t)NUMBERS * COUNT * (size_t)rank, bytes * COUNT) != 0;
  } else if (!strcmp(collective, "reduce_scatter_block")) {
    MPI_Reduce_scatter_block(from, to, COUNT, matrix, product, MPI_COMM_WORLD);
    wrong = memcmp(to, right + (size_t)NUMBERS * COUNT * (size_t)rank, bytes * COUNT) != 0;
  } else {
    MPI_Scan(from, to, COUNT, matrix, product, MPI_COMM_WORLD);
    wrong = rank == size - 1 && memcmp(to, right, bytes * COUNT) != 0;
  }
  free(from), free(to), free(right), free(counts);
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);
  return wrong;
}

// The count for sending is significant at the root alone.
static int scatter(int rank, int size) {
  int *from = calloc((size_t)size, sizeof *from * COUNT), *to = calloc(COUNT, sizeof *to);
  for (int i = 0; i < size * COUNT; i++) from[i] = i;
  MPI_Scatter(from, rank == 0 ? COUNT : 0, MPI_INT, to, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
  int wrong = to[1] != rank * COUNT + 1;
  free(from), free(to);
  return wrong;
}

// With MPI_IN_PLACE the count for sending is ignored.
static int allgather(int rank, int size) {
  int *all = calloc((size_t)size, sizeof *all * COUNT), wrong = 0;
  for (int i = 0; i < COUNT; i++) all[rank * COUNT + i] = rank;
  MPI_Allgather(MPI_IN_PLACE, rank % 2 ? COUNT : 0, MPI_INT, all, COUNT, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size * COUNT; i++) wrong += all[i] != i / COUNT;
  free(all);
  return wrong;
}

// A sum whose last digits tell the order of the operands.
static int sum(int rank) {
  static const double values[] = {1e16, 3, -1e16, 0.25};
  double own = values[rank % 4], all = 0;
  double *from = malloc(sizeof *from * COUNT), *to = malloc(sizeof *to * COUNT);
  for (int i = 0; i < COUNT; i++) from[i] = own;
  MPI_Allreduce(from, to, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT; i++) all += to[i];
  if (rank == 0) printf("%.17g\n", all);
  free(from), free(to);
  return 0;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 1 ? argv[1] : "";
  int wrong = !strcmp(what, "scatter")     ? scatter(rank, size)
              : !strcmp(what, "allgather") ? allgather(rank, size)
              : !strcmp(what, "sum")       ? sum(rank)
                                           : not_commutative(what, rank, size);
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all ? "wrong" : "right");
  MPI_Finalize();
  return 0;
}
