// Neighbourhood collectives, blocking and started + waited for, on Cartesian, distributed-graph and graph topologies
// of 4 processes. Every size depends on the source s and the destination d of a block, and what is received is
// checked here; tests/mpi/test_neighbourhood.py knows the edges and computes what each rank sends.
#include <mpi.h>
#include <stdio.h>

enum { P = 4, ROOM = 400, BLOCK = 16 };

static int out[ROOM], in[ROOM];
static int from[ROOM], to[ROOM], indegree, outdegree;
static int send_counts[8], send_places[8], receive_counts[8], receive_places[8];
static MPI_Aint send_bytes[8], receive_bytes[8];
static MPI_Datatype send_types[8], receive_types[8];
static MPI_Datatype pair;  // two ints in the room of four: 8 bytes, extent 16
static int me, started, failures;

// The same arguments to the blocking procedure or to its started twin.
#define CALL(name, ...)                            \
  do {                                             \
    if (started) {                                 \
      MPI_Request request;                         \
      MPI_Ineighbor_##name(__VA_ARGS__, &request); \
      MPI_Wait(&request, MPI_STATUS_IGNORE);       \
    } else {                                       \
      MPI_Neighbor_##name(__VA_ARGS__);            \
    }                                              \
  } while (0)

static void check(int is, int should, const char *what) {
  if (is == should) return;
  if (failures++ < 5) fprintf(stderr, "%s: rank %d has %d, not %d\n", what, me, is, should);
}

static void fill(void) {
  for (int i = 0; i < ROOM; i++) out[i] = in[i] = -1;
}

static void gathers(MPI_Comm comm) {
  fill();
  for (int k = 0; k < 5; k++) out[k] = 100 * me + k;
  CALL(allgather, out, 5, MPI_INT, in, 5, MPI_INT, comm);
  for (int n = 0; n < indegree; n++) {
    check(in[5 * n + 4], from[n] == MPI_PROC_NULL ? -1 : 100 * from[n] + 4, "allgather");
  }
  // Rank s sends 2 s ints: rank 0 none.
  fill();
  for (int k = 0; k < 2 * me; k++) out[k] = 100 * me + k;
  for (int n = 0; n < indegree; n++) {
    receive_counts[n] = from[n] == MPI_PROC_NULL ? 7 : 2 * from[n];
    receive_places[n] = BLOCK * n;
  }
  CALL(allgatherv, out, 2 * me, MPI_INT, in, receive_counts, receive_places, MPI_INT, comm);
  for (int n = 0; n < indegree; n++) check(in[BLOCK * n], from[n] > 0 ? 100 * from[n] : -1, "allgatherv");
}

static void exchanges(MPI_Comm comm) {
  fill();
  for (int n = 0; n < outdegree; n++) out[3 * n + 2] = 10 * me + to[n];
  CALL(alltoall, out, 3, MPI_INT, in, 3, MPI_INT, comm);
  for (int n = 0; n < indegree; n++) {
    check(in[3 * n + 2], from[n] == MPI_PROC_NULL ? -1 : 10 * from[n] + me, "alltoall");
  }

  // (s + 2 d) mod 4 ints, sometimes none. Counts for nobody say 7, to be seen if they were counted.
  fill();
  for (int n = 0; n < outdegree; n++) {
    send_counts[n] = to[n] == MPI_PROC_NULL ? 7 : (me + 2 * to[n]) % 4;
    send_places[n] = BLOCK * n;
    out[BLOCK * n] = 10 * me + to[n];
  }
  for (int n = 0; n < indegree; n++) {
    receive_counts[n] = from[n] == MPI_PROC_NULL ? 7 : (from[n] + 2 * me) % 4;
    receive_places[n] = BLOCK * n;
  }
  CALL(alltoallv, out, send_counts, send_places, MPI_INT, in, receive_counts, receive_places, MPI_INT, comm);
  for (int n = 0; n < indegree; n++) {
    const int nothing = from[n] == MPI_PROC_NULL || receive_counts[n] == 0;
    check(in[BLOCK * n], nothing ? -1 : 10 * from[n] + me, "alltoallv");
  }

  // The same counts; odd destinations get pairs.
  fill();
  for (int n = 0; n < outdegree; n++) {
    send_types[n] = to[n] % 2 ? pair : MPI_INT;
    send_bytes[n] = BLOCK * n * (MPI_Aint)sizeof(int);
    out[BLOCK * n] = 10 * me + to[n];
  }
  for (int n = 0; n < indegree; n++) {
    receive_types[n] = me % 2 ? pair : MPI_INT;
    receive_bytes[n] = BLOCK * n * (MPI_Aint)sizeof(int);
  }
  CALL(alltoallw, out, send_counts, send_bytes, send_types, in, receive_counts, receive_bytes, receive_types, comm);
  if (outdegree == 0) return;  // MPICH 4.0.2 then receives nothing, either
  for (int n = 0; n < indegree; n++) {
    const int nothing = from[n] == MPI_PROC_NULL || receive_counts[n] == 0;
    check(in[BLOCK * n], nothing ? -1 : 10 * from[n] + me, "alltoallw");
  }
}

static void all_on(MPI_Comm comm) {
  for (started = 0; started < 2; started++) {
    gathers(comm);
    exchanges(comm);
  }
}

static MPI_Comm cart(int rows, int columns, int rows_periodic, int columns_periodic) {
  const int dims[2] = {rows, columns}, periods[2] = {rows_periodic, columns_periodic};
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  indegree = outdegree = 4;
  for (int d = 0; d < 2; d++) {
    MPI_Cart_shift(comm, d, 1, &from[2 * d], &from[2 * d + 1]);
    MPI_Cart_shift(comm, d, 1, &to[2 * d], &to[2 * d + 1]);
  }
  return comm;
}

static void ask_graph(MPI_Comm comm) {
  int weighted;
  MPI_Dist_graph_neighbors_count(comm, &indegree, &outdegree, &weighted);
  MPI_Dist_graph_neighbors(comm, indegree, from, MPI_UNWEIGHTED, outdegree, to, MPI_UNWEIGHTED);
}

// Asymmetric: 0 sends to all others, 2 to itself, 3 to nobody.
static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 0}, {2, 2}};

static MPI_Comm adjacent_graph(void) {
  int in_list[6], out_list[6], ins = 0, outs = 0;
  for (int e = 0; e < 6; e++) {
    if (edges[e][0] == me) out_list[outs++] = edges[e][1];
    if (edges[e][1] == me) in_list[ins++] = edges[e][0];
  }
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, ins, in_list, MPI_UNWEIGHTED, outs, out_list, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  ask_graph(comm);
  return comm;
}

// The same edges, all of them told by rank 1.
static MPI_Comm general_graph(void) {
  int sources[6], degrees[6], destinations[6];
  for (int e = 0; e < 6; e++) {
    sources[e] = edges[e][0];
    degrees[e] = 1;
    destinations[e] = edges[e][1];
  }
  MPI_Comm comm;
  MPI_Dist_graph_create(MPI_COMM_WORLD, me == 1 ? 6 : 0, sources, degrees, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL,
                        0, &comm);
  ask_graph(comm);
  return comm;
}

// A star with one more edge between 1 and 2.
static MPI_Comm old_graph(void) {
  const int ends[P] = {3, 5, 7, 8}, neighbours[8] = {1, 2, 3, 0, 2, 0, 1, 0};
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, P, ends, neighbours, 0, &comm);
  MPI_Graph_neighbors_count(comm, me, &indegree);
  outdegree = indegree;
  MPI_Graph_neighbors(comm, me, indegree, from);
  MPI_Graph_neighbors(comm, me, outdegree, to);
  return comm;
}

// Rank 0 sends to all others, and nobody else to anybody. Open MPI lets those without a destination give no type at
// all; its size must not be asked then.
static void no_type_for_nobody(void) {
  const int others[P - 1] = {1, 2, 3}, root = 0;
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, me != 0, &root, MPI_UNWEIGHTED, me == 0 ? P - 1 : 0, others,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  for (int i = 0; i < P; i++) {
    send_counts[i] = receive_counts[i] = 1;
    send_places[i] = receive_places[i] = i;
  }
  fill();
  out[1] = 42;
  MPI_Neighbor_alltoallv(out, send_counts, send_places, me == 0 ? MPI_INT : MPI_DATATYPE_NULL, in, receive_counts,
                         receive_places, me == 0 ? MPI_DATATYPE_NULL : MPI_INT, comm);
  check(in[0], me == 2 ? 42 : -1, "no type for nobody");
  MPI_Comm_free(&comm);
}

// A distributed graph made from a square grid: Open MPI 5 takes it for a grid, and can't communicate in it.
static void graph_of_a_grid(void) {
  const int others[P - 1] = {1, 2, 3}, root = 0;
  MPI_Comm square = cart(2, 2, 0, 0), comm;
  MPI_Dist_graph_create_adjacent(square, me != 0, &root, MPI_UNWEIGHTED, me == 0 ? P - 1 : 0, others, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&square);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Datatype two;
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_create_resized(two, 0, 4 * sizeof(int), &pair);
  MPI_Type_free(&two);
  MPI_Type_commit(&pair);

  if (argc > 1 && argv[1][0] == 'n') no_type_for_nobody();
  if (argc > 1 && argv[1][0] == 'g') graph_of_a_grid();
  for (int topology = 0; argc == 1 && topology < 7; topology++) {
    MPI_Comm comm = MPI_COMM_NULL;
    switch (topology) {
      case 0:  // a square
        comm = cart(2, 2, 0, 0);
        break;
      case 1:  // a row, each rank being its own neighbour in the direction of length 1
        comm = cart(4, 1, 0, 1);
        break;
      case 2:  // a ring
        comm = cart(1, 4, 0, 1);
        break;
      case 3:
        comm = adjacent_graph();
        break;
      case 4:
        comm = general_graph();
        break;
      case 5:
        comm = old_graph();
        break;
      case 6: {  // a duplicate has the topology, too
        MPI_Comm original = cart(4, 1, 0, 0);
        MPI_Comm_dup(original, &comm);
        MPI_Comm_free(&original);
        break;
      }
    }
    all_on(comm);
    MPI_Comm_free(&comm);
  }
  MPI_Type_free(&pair);
  MPI_Finalize();
  return failures != 0;
}
