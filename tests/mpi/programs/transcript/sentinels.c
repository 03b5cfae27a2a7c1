// Addresses that mean something else than memory.
#include <stddef.h>

#include "transcript.h"

static void say_numbers(const char *what, const int *numbers, int count) {
  for (int i = 0; i < count; i++) say("%s: %d", what, numbers[i]);
}

static void in_place(void) {
  const MPI_Comm W = MPI_COMM_WORLD;
  int numbers[4] = {1 + rank, 2 + rank, 3, 4}, counts[2] = {1, 1}, places[2] = {0, 1};
  MPI_Request request;
  TRY(MPI_Allreduce(MPI_IN_PLACE, numbers, 2, MPI_INT, MPI_SUM, W));
  say_numbers("Allreduce", numbers, 4);
  numbers[rank] = 100 + rank;
  TRY(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 1, MPI_INT, W));
  say_numbers("Allgather", numbers, 4);
  numbers[rank] = 200 + rank;
  TRY(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, counts, places, MPI_INT, W));
  say_numbers("Allgatherv", numbers, 4);
  TRY(MPI_Gather(rank == 0 ? MPI_IN_PLACE : numbers, 1, MPI_INT, numbers, 1, MPI_INT, 0, W));
  say_numbers("Gather", numbers, 4);
  TRY(MPI_Scatter(numbers, 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : numbers, 1, MPI_INT, 0, W));
  say_numbers("Scatter", numbers, 4);
  TRY(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 2, MPI_INT, W));
  say_numbers("Alltoall", numbers, 4);
  TRY(MPI_Reduce(rank == 0 ? MPI_IN_PLACE : numbers, numbers, 2, MPI_INT, MPI_SUM, 0, W));
  say_numbers("Reduce", numbers, 4);
  TRY(MPI_Reduce_scatter_block(MPI_IN_PLACE, numbers, 1, MPI_INT, MPI_SUM, W));
  say_numbers("Reduce_scatter_block", numbers, 1);
  TRY(MPI_Scan(MPI_IN_PLACE, numbers, 1, MPI_INT, MPI_SUM, W));
  say_numbers("Scan", numbers, 1);
  TRY(MPI_Iallreduce(MPI_IN_PLACE, numbers, 1, MPI_INT, MPI_SUM, W, &request));
  TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  say_numbers("Iallreduce", numbers, 1);
}

static void bottom(void) {
  static int from[3] = {7, 8, 9}, to[3];
  MPI_Aint address;
  MPI_Datatype source, destination;
  MPI_Get_address(from, &address);
  MPI_Type_create_hindexed(1, (int[]){3}, &address, MPI_INT, &source);
  MPI_Get_address(to, &address);
  MPI_Type_create_hindexed(1, (int[]){3}, &address, MPI_INT, &destination);
  MPI_Type_commit(&source);
  MPI_Type_commit(&destination);
  TRY(MPI_Sendrecv(MPI_BOTTOM, 1, source, 1 - rank, 1, MPI_BOTTOM, 1, destination, 1 - rank, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE));
  say_numbers("absolute", to, 3);
  TRY(MPI_Bcast(MPI_BOTTOM, 1, rank == 0 ? source : destination, 0, MPI_COMM_WORLD));
  TRY(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
  MPI_Type_free(&source);
  MPI_Type_free(&destination);
}

static void graphs(void) {
  MPI_Comm graph;
  const int other = 1 - rank, weight = 5;
  int in, out, weighted, source = -1, destination = -1, weights[2] = {-1, -1};
  TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                     MPI_INFO_NULL, 0, &graph));
  TRY(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
  TRY(MPI_Dist_graph_neighbors(graph, 1, &source, MPI_UNWEIGHTED, 1, &destination, MPI_UNWEIGHTED));
  say("unweighted: %d %d %d, %d %d", in, out, weighted, source, destination);
  TRY(MPI_Comm_free(&graph));
  TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &weight, 1, &other, &weight, MPI_INFO_NULL, 0, &graph));
  TRY(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
  TRY(MPI_Dist_graph_neighbors(graph, 1, &source, &weights[0], 1, &destination, &weights[1]));
  say("weighted: %d %d %d, %d %d", in, out, weighted, weights[0], weights[1]);
  TRY(MPI_Comm_free(&graph));
  TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                     MPI_INFO_NULL, 0, &graph));
  TRY(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
  say("empty: %d %d %d", in, out, weighted);
  TRY(MPI_Comm_free(&graph));
  TRY(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, (int[]){1}, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
  TRY(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
  say("general: %d %d %d", in, out, weighted);
  TRY(MPI_Comm_free(&graph));
}

void sentinels(void) {
  in_place();
  bottom();
  graphs();
}
