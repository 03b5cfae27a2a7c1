// The constructors whose flag `reorder` is honoured under `rankwise run --reorder`; the rules in api/semantics.toml
// call these instead of the library's. Included inside the namespace of a build.

namespace reordering_here {

// make(comm, reorder, place) is the library's constructor with the program's arguments; after its success, roles()
// returns the number of processes in the topology.
template <class Make, class Roles, class Prepare>
int construct(Call &call, Made<MPI_Comm> &made, MPI_Comm comm_old, int reorder_asked, rankwise_topology kind, Make make,
              Roles roles, Prepare prepare) {
  if (!reorder::wanted || reorder_asked == 0) return make(comm_old, reorder_asked, made.place());
  const int rc = make(comm_old, 0, made.place());
  if (rc != abi::success || !made.written()) return rc;
  MPI_Comm better = abi::comm_null;
  const auto again = [&](MPI_Comm comm, MPI_Comm *place) { return make(comm, 0, place); };
  if (Attempt(comm_old, made.handle(), kind, roles()).run(prepare, again, &better)) {
    made.replace(better);
    call.reordered();
  }
  return rc;
}

// All processes pass the whole topology, or edges by the numbers of their ends: the same arguments suit any rank.
inline bool nothing_to_prepare(MPI_Comm /*copy*/, int /*rank*/, int /*size*/, const int * /*new_rank*/) { return true; }

// Processes of a grid.
inline int product(int ndims, const int *dims) {
  int all = 1;
  for (int d = 0; d < ndims; ++d) all *= dims[d];
  return all;
}

template <class Next>
int cart_create(Call &call, Made<MPI_Comm> &made, Next next, MPI_Comm comm_old, int ndims, const int *dims,
                const int *periods, int asked) {
  const auto make = [&](MPI_Comm comm, int flag, MPI_Comm *place) {
    return next(comm, ndims, dims, periods, flag, place);
  };
  return construct(
      call, made, comm_old, asked, RANKWISE_TOPOLOGY_CART, make, [&] { return product(ndims, dims); },
      nothing_to_prepare);
}

template <class Next>
int graph_create(Call &call, Made<MPI_Comm> &made, Next next, MPI_Comm comm_old, int nnodes, const int *index,
                 const int *edges, int asked) {
  const auto make = [&](MPI_Comm comm, int flag, MPI_Comm *place) {
    return next(comm, nnodes, index, edges, flag, place);
  };
  return construct(
      call, made, comm_old, asked, RANKWISE_TOPOLOGY_GRAPH, make, [&] { return nnodes; }, nothing_to_prepare);
}

inline int size_of(MPI_Comm comm) {
  int size = 0;
  queries.Comm_size(comm, &size);
  return size;
}

template <class Next>
int dist_graph_create(Call &call, Made<MPI_Comm> &made, Next next, MPI_Comm comm_old, int n, const int *sources,
                      const int *degrees, const int *destinations, const int *weights, MPI_Info info, int asked) {
  const auto make = [&](MPI_Comm comm, int flag, MPI_Comm *place) {
    return next(comm, n, sources, degrees, destinations, weights, info, flag, place);
  };
  return construct(
      call, made, comm_old, asked, RANKWISE_TOPOLOGY_DIST_GRAPH, make, [&] { return size_of(comm_old); },
      nothing_to_prepare);
}

template <class Next>
int dist_graph_create_adjacent(Call &call, Made<MPI_Comm> &made, Next next, MPI_Comm comm_old, const Neighbourhood &in,
                               const Neighbourhood &out, MPI_Info info, int asked) {
  AdjacentLists lists(in, out);
  const auto make = [&](MPI_Comm comm, int flag, MPI_Comm *place) {
    return next(comm, lists.in().degree, lists.in().ranks, lists.in().weights, lists.out().degree, lists.out().ranks,
                lists.out().weights, info, flag, place);
  };
  const auto exchange = [&](MPI_Comm copy, int rank, int size, const int *new_rank) {
    return lists.exchange(copy, rank, size, new_rank);
  };
  return construct(
      call, made, comm_old, asked, RANKWISE_TOPOLOGY_DIST_GRAPH, make, [&] { return size_of(comm_old); }, exchange);
}

}  // namespace reordering_here
