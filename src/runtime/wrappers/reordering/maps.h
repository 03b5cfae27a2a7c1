// MPI_Cart_map and MPI_Graph_map: the rank that a process has in the topology that the constructor would make. Included
// inside the namespace of a build.
//
// MPI 4.1, section 8.5.8: a constructor with reorder = true "can be implemented by calling" these, and then
// MPI_Comm_split with the rank as key. So programs may expect both to agree. Finding the order is collective, and the
// results of these functions are useful only if all processes have them.

namespace reordering_here {

// make(&plain) is the library's constructor with reorder = false, and roles the number of processes in its topology;
// `new_rank` has the library's own result.
template <class Make>
void map(MPI_Comm comm, rankwise_topology kind, int roles, int *new_rank, Make make) {
  if (roles <= 1) return;
  MPI_Comm handle{};
  Made<MPI_Comm> plain(&handle);
  if (!make(plain.place()) || !plain.written()) return;
  Attempt(comm, plain.handle(), kind, roles).look(new_rank);
}

template <class Next>
int cart_map(Next next, MPI_Comm comm, int ndims, const int *dims, const int *periods, int *new_rank) {
  const int rc = next(comm, ndims, dims, periods, new_rank);
  if (!reorder::wanted || rc != abi::success || new_rank == nullptr) return rc;
  map(comm, RANKWISE_TOPOLOGY_CART, product(ndims, dims), new_rank,
      [&](MPI_Comm *place) { return RANKWISE_ASK(Cart_create, comm, ndims, dims, periods, 0, place); });
  return rc;
}

template <class Next>
int graph_map(Next next, MPI_Comm comm, int nnodes, const int *index, const int *edges, int *new_rank) {
  const int rc = next(comm, nnodes, index, edges, new_rank);
  if (!reorder::wanted || rc != abi::success || new_rank == nullptr) return rc;
  map(comm, RANKWISE_TOPOLOGY_GRAPH, nnodes, new_rank,
      [&](MPI_Comm *place) { return RANKWISE_ASK(Graph_create, comm, nnodes, index, edges, 0, place); });
  return rc;
}

}  // namespace reordering_here
