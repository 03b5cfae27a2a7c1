// Makes virtual topologies with reorder = 1 (argument `reorder`) or 0 (`keep`), and checks by MPI's own queries and by
// exchanging data that each is the one that was asked for. One line for each to stdout: its name, and
// the rank in MPI_COMM_WORLD of each of its processes. tests/mpi/test_reordered_topologies.py runs it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

enum { ROOM = 2048 };

static int reorder, me, size, failures;
// What this process has to say. At the end one says all: launchers mix what several print at once.
static char said[ROOM];

static void check(int is, int should, const char *what) {
  if (is == should) return;
  if (failures++ < 5) fprintf(stderr, "%s: process %d has %d, not %d\n", what, me, is, should);
}

// Where each rank is, and whether the communicator works as a whole.
static void tell(MPI_Comm comm, const char *what) {
  int n, rank, members[MOST], sum;
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  check(sum, n * (n - 1) / 2, what);
  MPI_Gather(&me, 1, MPI_INT, members, 1, MPI_INT, 0, comm);
  if (rank != 0) return;
  char line[8 * MOST];
  int length = sprintf(line, "%s:", what);
  for (int i = 0; i < n; i++) length += sprintf(line + length, " %d", members[i]);
  const size_t before = strlen(said);
  snprintf(said + before, ROOM - before, "%s\n", line);
}

static void say_all(void) {
  char *all = me == 0 ? malloc((size_t)size * ROOM) : NULL;
  MPI_Gather(said, ROOM, MPI_CHAR, all, ROOM, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; me == 0 && i < size; i++) fputs(all + (size_t)i * ROOM, stdout);
  free(all);
}

static int modulo(int a, int n) { return ((a % n) + n) % n; }

// --- Grids ---

static void exchange_on_grid(MPI_Comm grid, int ndims, const char *what) {
  int rank, sources[2 * 3], to[2 * 3], out[2 * 3], in[2 * 3];
  MPI_Comm_rank(grid, &rank);
  for (int d = 0; d < ndims; d++) {
    MPI_Cart_shift(grid, d, 1, &sources[2 * d], &sources[2 * d + 1]);
    to[2 * d] = sources[2 * d];
    to[2 * d + 1] = sources[2 * d + 1];
  }
  for (int i = 0; i < 2 * ndims; i++) {
    out[i] = 100 * rank + i;
    in[i] = -1;
  }
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
  // From where a process is a neighbour twice, Intel MPI takes the two messages the other way round.
  for (int i = 0; i < 2 * ndims; i++) check(in[i] < 0 ? -1 : in[i] / 100, to[i] < 0 ? -1 : to[i], what);
}

static void grid(int ndims, const int *dims, const int *periods, const char *what) {
  int coords[3], at[3], n, kind, shape[3], wraps[3], roles = 1;
  MPI_Comm made;
  for (int d = 0; d < ndims; d++) roles *= dims[d];
  MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, reorder, &made);
  int has = made != MPI_COMM_NULL, with;
  MPI_Allreduce(&has, &with, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(with, roles, what);
  if (!has) return;
  MPI_Topo_test(made, &kind);
  check(kind, MPI_CART, what);
  MPI_Comm_size(made, &n);
  check(n, roles, what);
  int rank, number = 0, same;
  MPI_Comm_rank(made, &rank);
  if (ndims > 0) {
    MPI_Cart_get(made, ndims, shape, wraps, coords);
    MPI_Cart_coords(made, rank, ndims, at);
    for (int d = 0; d < ndims; d++) {
      check(shape[d], dims[d], what);
      check(wraps[d] != 0, periods[d], what);
      check(coords[d], at[d], what);
      number = number * dims[d] + coords[d];
    }
    check(number, rank, what);  // row-major order
    MPI_Cart_rank(made, coords, &same);
    check(same, rank, what);
    for (int d = 0; d < ndims; d++) {
      int below, above, stride = 1;
      for (int e = d + 1; e < ndims; e++) stride *= dims[e];
      MPI_Cart_shift(made, d, 1, &below, &above);
      for (int way = -1; way <= 1; way += 2) {
        int there = coords[d] + way, should = rank + (modulo(there, dims[d]) - coords[d]) * stride;
        if (!periods[d] && (there < 0 || there >= dims[d])) should = MPI_PROC_NULL;
        check(way < 0 ? below : above, should, what);
      }
    }
    exchange_on_grid(made, ndims, what);
  }
  if (ndims == 2) {
    MPI_Comm row;
    int sum, width;
    MPI_Cart_sub(made, (int[]){0, 1}, &row);
    MPI_Comm_size(row, &width);
    check(width, dims[1], what);
    MPI_Allreduce(&coords[0], &sum, 1, MPI_INT, MPI_SUM, row);
    check(sum, coords[0] * dims[1], what);
    MPI_Comm_free(&row);
  }
  tell(made, what);
  MPI_Comm_free(&made);
}

// --- Graphs: everybody knows all edges ---

typedef struct {
  int from, to, weight;
} Edge;

static Edge edges[16 * MOST];
static int edge_count;
static unsigned rng_state = 1;

static int draw(int n) {
  rng_state = rng_state * 1103515245u + 12345u;
  return (int)(rng_state >> 16) % n;
}

static int by_ends(const void *a, const void *b) {
  const Edge *x = a, *y = b;
  if (x->from != y->from) return x->from - y->from;
  return x->to != y->to ? x->to - y->to : x->weight - y->weight;
}

static void add(int from, int to, int weight) { edges[edge_count++] = (Edge){from, to, weight}; }

// Partners far apart, a few random edges, an edge to itself, a double edge, and a node without any.
static void draw_graph(int nodes) {
  edge_count = 0;
  const int last = nodes - 1;  // isolated where there are others
  for (int i = 0; i < last; i++) add(i, (i + (last + 1) / 2) % last, 50 + i);
  for (int i = 0; i < last; i++) add(draw(last), draw(last), draw(5));
  add(0, 0, 7);
  if (last > 1) {
    add(0, 1, 3);
    add(0, 1, 4);
  }
}

// The edges of a node in the order of the array: where they go, or where they come from.
static int list(int node, int outgoing, int *ends, int *weights) {
  int n = 0;
  for (int i = 0; i < edge_count; i++) {
    if ((outgoing ? edges[i].from : edges[i].to) != node) continue;
    ends[n] = outgoing ? edges[i].to : edges[i].from;
    weights[n++] = edges[i].weight;
  }
  return n;
}

static void sorted(int n, int *ends, int *weights) {
  Edge pairs[16 * MOST];
  for (int i = 0; i < n; i++) pairs[i] = (Edge){0, ends[i], weights[i]};
  qsort(pairs, (size_t)n, sizeof(Edge), by_ends);
  for (int i = 0; i < n; i++) {
    ends[i] = pairs[i].to;
    weights[i] = pairs[i].weight;
  }
}

static void compare(int n, const int *is, const int *should, const char *what) {
  for (int i = 0; i < n; i++) check(is[i], should[i], what);
}

static void exchange_on_graph(MPI_Comm graph, int in, const int *from, int out, const char *what) {
  int rank, sent[16 * MOST], got[16 * MOST];
  MPI_Comm_rank(graph, &rank);
  for (int i = 0; i < out; i++) sent[i] = rank;
  for (int i = 0; i < in; i++) got[i] = -1;
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, graph);
  compare(in, got, from, what);
}

// `in_order`: the lists must come back in the order in which they were given.
static void check_distributed(MPI_Comm made, int weighted_asked, int in_order, const char *what) {
  int kind, rank, in, out, weighted;
  int from[16 * MOST], to[16 * MOST], in_weights[16 * MOST], out_weights[16 * MOST];
  int from_asked[16 * MOST], to_asked[16 * MOST], in_weights_asked[16 * MOST], out_weights_asked[16 * MOST];
  MPI_Topo_test(made, &kind);
  check(kind, MPI_DIST_GRAPH, what);
  MPI_Comm_rank(made, &rank);
  MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted);
  check(weighted != 0, weighted_asked, what);
  const int in_asked = list(rank, 0, from_asked, in_weights_asked);
  const int out_asked = list(rank, 1, to_asked, out_weights_asked);
  check(in, in_asked, what);
  check(out, out_asked, what);
  MPI_Dist_graph_neighbors(made, in, from, weighted ? in_weights : MPI_UNWEIGHTED, out, to,
                           weighted ? out_weights : MPI_UNWEIGHTED);
  if (in == in_asked && out == out_asked) {
    exchange_on_graph(made, in, from, out, what);
    if (!weighted_asked) {
      for (int i = 0; i < in; i++) in_weights[i] = in_weights_asked[i] = 0;
      for (int i = 0; i < out; i++) out_weights[i] = out_weights_asked[i] = 0;
    }
    if (!in_order) {
      sorted(in, from, in_weights);
      sorted(in, from_asked, in_weights_asked);
      sorted(out, to, out_weights);
      sorted(out, to_asked, out_weights_asked);
    }
    compare(in, from, from_asked, what);
    compare(out, to, to_asked, what);
    compare(in, in_weights, in_weights_asked, what);
    compare(out, out_weights, out_weights_asked, what);
  }
  tell(made, what);
}

static void adjacent(int weighted, const char *what) {
  int from[16 * MOST], to[16 * MOST], in_weights[16 * MOST], out_weights[16 * MOST];
  const int in = list(me, 0, from, in_weights), out = list(me, 1, to, out_weights);
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from,
                                 !weighted ? MPI_UNWEIGHTED
                                 : in      ? in_weights
                                           : MPI_WEIGHTS_EMPTY,
                                 out, to,
                                 !weighted ? MPI_UNWEIGHTED
                                 : out     ? out_weights
                                           : MPI_WEIGHTS_EMPTY,
                                 MPI_INFO_NULL, reorder, &made);
  memset(from, -1, sizeof from);  // the library has copied them
  check_distributed(made, weighted, 1, what);
  MPI_Comm_free(&made);
}

// Edge i is given by process i mod size, whatever its ends are.
static void distributed(int weighted, const char *what) {
  int n = 0, sources[16 * MOST], degrees[16 * MOST], to[16 * MOST], weights[16 * MOST];
  for (int i = me; i < edge_count; i += size, n++) {
    sources[n] = edges[i].from;
    degrees[n] = 1;
    to[n] = edges[i].to;
    weights[n] = edges[i].weight;
  }
  MPI_Comm made;
  MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, to,
                        !weighted ? MPI_UNWEIGHTED
                        : n       ? weights
                                  : MPI_WEIGHTS_EMPTY,
                        MPI_INFO_NULL, reorder, &made);
  check_distributed(made, weighted, 0, what);
  MPI_Comm_free(&made);
}

static void graph(int nodes, const char *what) {
  int index[MOST], all[16 * MOST], weights[16 * MOST], total = 0, kind, rank, n;
  for (int node = 0; node < nodes; node++) {
    total += list(node, 1, all + total, weights);
    index[node] = total;
  }
  MPI_Comm made;
  MPI_Graph_create(MPI_COMM_WORLD, nodes, index, all, reorder, &made);
  int has = made != MPI_COMM_NULL, with;
  MPI_Allreduce(&has, &with, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(with, nodes, what);
  if (!has) return;
  MPI_Topo_test(made, &kind);
  check(kind, MPI_GRAPH, what);
  MPI_Comm_rank(made, &rank);
  for (int node = 0; node < nodes; node++) {
    int to[16 * MOST], asked[16 * MOST];
    const int should = list(node, 1, asked, weights);
    MPI_Graph_neighbors_count(made, node, &n);
    check(n, should, what);
    MPI_Graph_neighbors(made, node, n, to);
    if (n == should) compare(n, to, asked, what);
  }
  tell(made, what);
  MPI_Comm_free(&made);
}

// --- What a constructor hands on ---

static void ignore(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }

static void inherits(void) {
  MPI_Comm own, made;
  MPI_Errhandler handler, found;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_create_errhandler(ignore, &handler);
  MPI_Comm_set_errhandler(own, handler);
  MPI_Cart_create(own, 1, &size, (int[]){1}, reorder, &made);
  MPI_Comm_get_errhandler(made, &found);
  check(found == handler, 1, "error handler");
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&handler);
  tell(made, "ring of a duplicate");
  MPI_Comm_free(&made);
  MPI_Comm_free(&own);
}

// Arguments that MPI refuses give its own error, and nothing else happens.
static void refused(void) {
  MPI_Comm made;
  int before;
  MPI_Errhandler old;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &old);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  before = MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){size, 2}, (int[]){0, 0}, reorder, &made);
  check(before != MPI_SUCCESS, 1, "grid too large");
  before = MPI_Cart_create(MPI_COMM_WORLD, -1, (int[]){1}, (int[]){0}, reorder, &made);
  check(before != MPI_SUCCESS, 1, "negative number of dimensions");
  before = MPI_Graph_create(MPI_COMM_WORLD, size + 1, NULL, NULL, reorder, &made);
  check(before != MPI_SUCCESS, 1, "too many nodes");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, old);
  MPI_Errhandler_free(&old);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  reorder = argc > 1 && !strcmp(argv[1], "reorder");
  const int half = size > 1 ? size / 2 : 1, fewer = size > 2 ? size - 1 : size;
  grid(2, (int[]){half, size / half}, (int[]){0, 1}, "grid");
  grid(3, (int[]){1, size, 1}, (int[]){1, 0, 0}, "column");
  grid(1, &fewer, (int[]){1}, "grid with one left over");
  grid(0, NULL, NULL, "point");
  draw_graph(size);
  graph(size, "graph");
  adjacent(1, "adjacent");
  adjacent(0, "adjacent without weights");
  distributed(1, "distributed");
  distributed(0, "distributed without weights");
  draw_graph(fewer);
  graph(fewer, "graph with one left over");
  inherits();
  refused();
  int all;
  MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  say_all();
  if (me == 0) printf("failures: %d\n", all);
  MPI_Finalize();
  return failures != 0;
}
