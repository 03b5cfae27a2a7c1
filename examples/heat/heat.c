// The heat equation on the unit square, solved with MPI.
//
//     u_t = u_xx + u_yy,  u = 0 on the boundary,  u(x, y, 0) = sin(pi x) sin(2 pi y)
//
// Peaceman and Rachford's alternating directions: each step is two half steps, one implicit in x and
// explicit in y, the other the reverse, with r = dt / (2 h^2) and L the second difference:
//
//     (1 - r Lx) u* = (1 + r Ly) u        (1 - r Ly) u' = (1 + r Lx) u*
//
// The explicit side needs the neighbours' edges (halo exchange). The implicit side is one tridiagonal
// system for each grid line, and a line is spread over a whole row (or column) of processes: a transposition
// along that row's communicator gives each process some lines complete, and another one takes them back.
//
// The initial field is an eigenvector of both operators, so the answer is known twice: from the differential
// equation, to the order of the scheme, and from the scheme itself, to rounding. No arithmetic depends on
// how the grid is divided, and only maxima are reduced: every number of ranks prints the same numbers.
//
//     mpirun -n 4 ./heat [N] [STEPS] [--imbalance F]

#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double kPi = 3.14159265358979323846;
static const double kEnd = 0.05;  // time simulated; the mode has then decayed to about 1/12
enum { kCheckEvery = 10 };        // steps between two checks of the change

typedef struct {
  int rows, cols;            // of this process's block, without its halo
  int first_row, first_col;  // where the block begins in the whole field
  int stride;                // doubles from one row of the block to the next, halo included
  double *at;                // the block's first inner point; the halo lies around it
} Field;

// One direction's line solves: which lines this process gets, and how the transposition cuts the blocks.
typedef struct {
  MPI_Comm comm;                               // the processes that share the lines
  int lines, length;                           // the block: so many lines, so long a piece of each
  int mine;                                    // complete lines that this process solves
  int *out_count, *out_at, *in_count, *in_at;  // doubles to and from each process of comm
  double *block, *parts, *whole, *solved;      // the lines before, on, and after their way
} Sweep;

static void *allocate(size_t count, size_t size) {
  void *p = calloc(count ? count : 1, size);
  if (!p) {
    fprintf(stderr, "heat: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return p;
}

// Part `i` of `n` things divided over `parts`: the first n % parts get one more.
static int share(int n, int parts, int i) { return n / parts + (i < n % parts); }
static int share_start(int n, int parts, int i) { return i * (n / parts) + (i < n % parts ? i : n % parts); }

static double mode(int row, int col, double h) { return sin(2 * kPi * (row + 1) * h) * sin(kPi * (col + 1) * h); }

// Rows are contiguous, columns are not: hence the vector type. Beyond the square there is MPI_PROC_NULL, and
// the halo there keeps the zeros of the boundary condition.
static void exchange_halo(Field *f, int dim, MPI_Comm grid, MPI_Datatype column) {
  int before, after;
  MPI_Cart_shift(grid, dim, 1, &before, &after);
  const int count = dim == 0 ? f->cols : 1;
  const MPI_Datatype type = dim == 0 ? MPI_DOUBLE : column;
  const ptrdiff_t step = dim == 0 ? f->stride : 1;
  const int size = dim == 0 ? f->rows : f->cols;

  MPI_Request requests[4];
  MPI_Irecv(f->at - step, count, type, before, 0, grid, &requests[0]);
  MPI_Irecv(f->at + size * step, count, type, after, 1, grid, &requests[1]);
  MPI_Isend(f->at + (size - 1) * step, count, type, after, 0, grid, &requests[2]);
  MPI_Isend(f->at, count, type, before, 1, grid, &requests[3]);
  MPI_Status statuses[4];
  MPI_Waitall(4, requests, statuses);
}

static Sweep make_sweep(MPI_Comm comm, int n, int lines, int length) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  Sweep s = {.comm = comm, .lines = lines, .length = length, .mine = share(lines, size, rank)};
  s.out_count = allocate(size, sizeof(int));
  s.out_at = allocate(size, sizeof(int));
  s.in_count = allocate(size, sizeof(int));
  s.in_at = allocate(size, sizeof(int));
  for (int p = 0; p < size; p++) {
    s.out_count[p] = share(lines, size, p) * length;  // p's lines, my piece of each
    s.out_at[p] = share_start(lines, size, p) * length;
    s.in_count[p] = s.mine * share(n, size, p);  // my lines, p's piece of each
    s.in_at[p] = s.mine * share_start(n, size, p);
  }
  s.block = allocate((size_t)lines * length, sizeof(double));
  s.parts = allocate((size_t)s.mine * n, sizeof(double));
  s.whole = allocate((size_t)s.mine * n, sizeof(double));
  s.solved = allocate((size_t)s.mine * n, sizeof(double));
  return s;
}

static void free_sweep(Sweep *s) {
  free(s->out_count), free(s->out_at), free(s->in_count), free(s->in_at);
  free(s->block), free(s->parts), free(s->whole), free(s->solved);
}

// Each process sent its piece of every line of mine: put the pieces side by side, or (back) apart.
static void rearrange(Sweep *s, int n, int join) {
  int size;
  MPI_Comm_size(s->comm, &size);
  for (int p = 0; p < size; p++) {
    const int from = share_start(n, size, p), length = share(n, size, p);
    for (int line = 0; line < s->mine; line++) {
      double *part = s->parts + s->in_at[p] + (size_t)line * length;
      if (join)
        memcpy(s->whole + (size_t)line * n + from, part, length * sizeof(double));
      else
        memcpy(part, s->solved + (size_t)line * n + from, length * sizeof(double));
    }
  }
}

// block = (1 + r L) u, L across the lines. `across` and `along` are the field's strides: the same code serves
// both directions, and the block comes out with its lines contiguous. A line done twice changes nothing:
// that is how `work` > 1 makes a process slower and no result different.
static void explicit_part(const Field *f, Sweep *s, ptrdiff_t across, ptrdiff_t along, double r, double work) {
  const long turns = (long)(work * s->lines);
  for (long turn = 0; turn < turns; turn++) {
    const long line = turn % s->lines;
    const double *u = f->at + line * across;
    double *b = s->block + line * s->length;
    for (int k = 0; k < s->length; k++, u += along) b[k] = (1 - 2 * r) * u[0] + r * (u[-across] + u[across]);
  }
}

// (1 - r L) x = b along each complete line: Thomas' algorithm; pivot[k] is the inverse of the k-th pivot.
static void implicit_part(Sweep *s, int n, double r, const double *pivot, double work) {
  const long turns = s->mine ? (long)(work * s->mine) : 0;
  for (long turn = 0; turn < turns; turn++) {
    const double *b = s->whole + turn % s->mine * n;
    double *x = s->solved + turn % s->mine * n;
    double last = 0;
    for (int k = 0; k < n; k++) x[k] = last = (b[k] + r * last) * pivot[k];
    for (int k = n - 2; k >= 0; k--) x[k] = last = x[k] + r * pivot[k] * last;
  }
}

// One half step: explicit across the lines, implicit along them. Returns the largest change of a value.
// MPI_Pcontrol names the phases for a profiler; without one it does nothing.
static double half_step(Field *f, Sweep *s, int dim, MPI_Comm grid, MPI_Datatype column, int n, double r,
                        const double *pivot, double work) {
  const ptrdiff_t across = dim == 0 ? f->stride : 1, along = dim == 0 ? 1 : f->stride;

  MPI_Pcontrol(1, "halo");
  exchange_halo(f, dim, grid, column);
  MPI_Pcontrol(-1, "halo");

  MPI_Pcontrol(1, "explicit");
  explicit_part(f, s, across, along, r, work);
  MPI_Pcontrol(-1, "explicit");

  MPI_Pcontrol(1, "transpose");
  MPI_Alltoallv(s->block, s->out_count, s->out_at, MPI_DOUBLE, s->parts, s->in_count, s->in_at, MPI_DOUBLE, s->comm);
  rearrange(s, n, 1);
  MPI_Pcontrol(-1, "transpose");

  MPI_Pcontrol(1, "implicit");
  implicit_part(s, n, r, pivot, work);
  MPI_Pcontrol(-1, "implicit");

  MPI_Pcontrol(1, "transpose");
  rearrange(s, n, 0);
  MPI_Alltoallv(s->parts, s->in_count, s->in_at, MPI_DOUBLE, s->block, s->out_count, s->out_at, MPI_DOUBLE, s->comm);
  MPI_Pcontrol(-1, "transpose");

  double change = 0;
  for (int line = 0; line < s->lines; line++) {
    double *u = f->at + line * across;
    const double *b = s->block + (size_t)line * s->length;
    for (int k = 0; k < s->length; k++, u += along) {
      change = fmax(change, fabs(b[k] - *u));
      *u = b[k];
    }
  }
  return change;
}

// Largest difference to `scale` times the initial field, over all processes.
static double difference(const Field *f, double h, double scale, MPI_Comm grid) {
  double worst = 0;
  for (int i = 0; i < f->rows; i++)
    for (int j = 0; j < f->cols; j++)
      worst =
          fmax(worst, fabs(f->at[(ptrdiff_t)i * f->stride + j] - scale * mode(f->first_row + i, f->first_col + j, h)));
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, grid);
  return worst;
}

// N and STEPS in `sizes`, the factor in `imbalance`; 0 if the command line makes no sense.
static int parse(int argc, char **argv, int sizes[2], double *imbalance) {
  int given = 0;
  for (int i = 1; i < argc; i++) {
    char *end;
    if (!strcmp(argv[i], "--imbalance") && i + 1 < argc) {
      *imbalance = strtod(argv[++i], &end);
      if (*end || !(*imbalance >= 1 && *imbalance <= 1000)) return 0;
    } else {
      const long value = strtol(argv[i], &end, 10);
      if (*end || value < 1 || value > 30000 || given == 2) return 0;
      sizes[given++] = (int)value;
    }
  }
  return sizes[0] >= 2;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  // Rank 0 reads and checks the command line, and broadcasts it; N = 0 asks all ranks to stop.
  int sizes[2] = {768, 50}, dims[2] = {0, 0};
  double imbalance = 1;
  MPI_Dims_create(ranks, 2, dims);
  if (rank == 0 && !parse(argc, argv, sizes, &imbalance)) {
    fprintf(stderr, "usage: heat [N >= 2] [STEPS >= 1] [--imbalance F >= 1]\n");
    sizes[0] = 0;
  } else if (rank == 0 && sizes[0] < dims[0]) {
    fprintf(stderr, "heat: a field of %d x %d is too small for %d x %d processes\n", sizes[0], sizes[0], dims[0],
            dims[1]);
    sizes[0] = 0;
  }
  MPI_Bcast(sizes, 2, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(&imbalance, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const int n = sizes[0], steps = sizes[1];
  if (n == 0) {
    MPI_Finalize();
    return 2;
  }

  MPI_Comm grid, row, column;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[2]){0, 0}, 1, &grid);
  MPI_Cart_sub(grid, (int[2]){0, 1}, &row);
  MPI_Cart_sub(grid, (int[2]){1, 0}, &column);
  MPI_Comm_set_name(grid, "grid");
  MPI_Comm_set_name(row, "row");
  MPI_Comm_set_name(column, "column");

  int grid_rank, place[2];
  MPI_Comm_rank(grid, &grid_rank);
  MPI_Cart_coords(grid, grid_rank, 2, place);
  Field f = {.rows = share(n, dims[0], place[0]),
             .first_row = share_start(n, dims[0], place[0]),
             .cols = share(n, dims[1], place[1]),
             .first_col = share_start(n, dims[1], place[1])};
  f.stride = f.cols + 2;
  double *field = allocate((size_t)(f.rows + 2) * f.stride, sizeof(double));
  f.at = field + f.stride + 1;

  const double h = 1.0 / (n + 1), dt = kEnd / steps, r = dt / (2 * h * h);
  for (int i = 0; i < f.rows; i++)
    for (int j = 0; j < f.cols; j++) f.at[(ptrdiff_t)i * f.stride + j] = mode(f.first_row + i, f.first_col + j, h);

  MPI_Datatype column_type;
  MPI_Type_vector(f.rows, 1, f.stride, MPI_DOUBLE, &column_type);
  MPI_Type_commit(&column_type);
  Sweep along_x = make_sweep(row, n, f.rows, f.cols), along_y = make_sweep(column, n, f.cols, f.rows);
  double *pivot = allocate(n, sizeof(double));
  for (int k = 0; k < n; k++) pivot[k] = 1 / (1 + 2 * r - (k ? r * r * pivot[k - 1] : 0));

  // The rank in the middle is the slow one: neither rank 0 nor the last, which people look at first.
  const double work = rank == ranks / 2 ? imbalance : 1;
  const double start = MPI_Wtime();
  double change = 0;
  for (int step = 1; step <= steps; step++) {
    const double first = half_step(&f, &along_x, 0, grid, column_type, n, r, pivot, work);
    const double second = half_step(&f, &along_y, 1, grid, column_type, n, r, pivot, work);
    if (step % kCheckEvery == 0 || step == steps) {
      MPI_Pcontrol(1, "residual");
      change = fmax(first, second);
      MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, grid);
      MPI_Pcontrol(-1, "residual");
    }
  }
  const double seconds = MPI_Wtime() - start;

  // The scheme multiplies a mode by the same factor each step; the differential equation by exp(-5 pi^2 dt).
  const double lx = 4 * r * pow(sin(kPi * h / 2), 2), ly = 4 * r * pow(sin(kPi * h), 2);
  const double factor = (1 - ly) / (1 + lx) * (1 - lx) / (1 + ly);
  const double error = difference(&f, h, exp(-5 * kPi * kPi * kEnd), grid);
  const double rounding = difference(&f, h, pow(factor, steps), grid);
  const int ok = error <= 50 * dt * dt + 2 * h * h && rounding <= 1e-10;
  if (rank == 0) {
    printf("heat: %d x %d points, %d steps, %d x %d processes\n", n, n, steps, dims[0], dims[1]);
    printf("last change %.6e, error %.6e, %s\n", change, error, ok ? "ok" : "WRONG");
    fprintf(stderr, "heat: %.3f s\n", seconds);  // not printed with the results, which are the same in every run
  }

  free_sweep(&along_x), free_sweep(&along_y), free(pivot), free(field);
  MPI_Type_free(&column_type);
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return ok ? 0 : 1;
}
