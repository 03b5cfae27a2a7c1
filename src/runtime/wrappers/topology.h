// Virtual topologies: their description in a communicator's record, and its neighbours (MPI 4.1, chapter 8). Included
// inside the namespace of a build.

inline rankwise_topology topology_of(MPI_Comm comm) {
  int kind = abi::undefined;
  if (queries.Topo_test(comm, &kind) != abi::success) return RANKWISE_TOPOLOGY_NONE;
  switch (kind) {
    case abi::topology_cart:
      return RANKWISE_TOPOLOGY_CART;
    case abi::topology_graph:
      return RANKWISE_TOPOLOGY_GRAPH;
    case abi::topology_dist_graph:
      return RANKWISE_TOPOLOGY_DIST_GRAPH;
    default:
      return RANKWISE_TOPOLOGY_NONE;
  }
}

// RATIONALE: the kind follows from the constructor. Open MPI 5 treats a distributed graph that was made from a grid as
// a grid, and crashes when it is asked for its dimensions.
inline void describe_topology(MPI_Comm comm, rankwise_communicator &record, rankwise_topology kind) {
  record.topology = kind;
  if (record.topology != RANKWISE_TOPOLOGY_CART) return;
  int ndims = 0;
  if (queries.Cartdim_get(comm, &ndims) != abi::success || ndims <= 0 || ndims > 255) return;
  const auto n = static_cast<std::size_t>(ndims);
  int *values = static_cast<int *>(std::calloc(3 * n, sizeof(int)));
  if (values == nullptr) return;
  if (queries.Cart_get(comm, ndims, values, values + n, values + 2 * n) == abi::success) {
    record.ndims = static_cast<std::uint8_t>(ndims);
    for (int d = 0; d < ndims && d < 8; ++d) {
      record.dims[d] = values[d];
      if (values[n + static_cast<std::size_t>(d)] != 0) record.periods |= 1U << d;
    }
  }
  std::free(values);
}

// The destinations of a neighbourhood collective, in the order of its arguments; malloc'ed. `weights`, a part of the
// same memory, only if edges have some.
inline int *destinations_of(MPI_Comm comm, rankwise_topology kind, int rank, int *count,
                            const int **weights = nullptr) {
  *count = 0;
  const auto allocate = [](int n) {
    return static_cast<int *>(std::calloc(static_cast<std::size_t>(n) + 1, sizeof(int)));
  };
  switch (kind) {
    case RANKWISE_TOPOLOGY_CART: {
      int ndims = 0;
      queries.Cartdim_get(comm, &ndims);
      int *to = allocate(2 * ndims);
      if (to == nullptr) return nullptr;
      int *next = to;
      for (int d = 0; d < ndims; ++d, next += 2) queries.Cart_shift(comm, d, 1, next, next + 1);
      *count = 2 * ndims;
      return to;
    }
    case RANKWISE_TOPOLOGY_GRAPH: {
      int n = 0;
      queries.Graph_neighbors_count(comm, rank, &n);
      int *to = allocate(n);
      if (to == nullptr) return nullptr;
      queries.Graph_neighbors(comm, rank, n, to);
      *count = n;
      return to;
    }
    case RANKWISE_TOPOLOGY_DIST_GRAPH: {
      int in = 0, out = 0, weighted = 0;
      queries.Dist_graph_neighbors_count(comm, &in, &out, &weighted);
      int *all = allocate(2 * (in + out) + out);
      if (all == nullptr) return nullptr;
      int *to = all;  // first, so that the single allocation can be passed on
      int *from = to + out;
      int *in_weights = from + in;
      int *out_weights = in_weights + in;
      queries.Dist_graph_neighbors(comm, in, from, in_weights, out, to, out_weights);
      *count = out;
      if (weights != nullptr && weighted != 0) *weights = out_weights;
      return to;
    }
    default:
      return nullptr;
  }
}

// The neighbours of this process, queried once; nullptr if memory is exhausted. A communicator has one collective at a
// time, so no other thread queries the same.
inline const communicators::Neighbours *neighbours_of(MPI_Comm comm, communicators::Communicator &communicator) {
  if (communicator.neighbours != nullptr) return communicator.neighbours;
  int count = 0;
  const rankwise_communicator *record = communicator.record;
  const bool is_known = record != nullptr && record->topology != RANKWISE_TOPOLOGY_NONE;
  const auto kind = is_known ? static_cast<rankwise_topology>(record->topology) : topology_of(comm);
  int *to = destinations_of(comm, kind, communicator.rank, &count);
  auto *found = static_cast<communicators::Neighbours *>(std::calloc(1, sizeof(communicators::Neighbours)));
  auto *is_process = static_cast<bool *>(std::calloc(static_cast<std::size_t>(count) + 1, sizeof(bool)));
  if (to == nullptr || found == nullptr || is_process == nullptr) {
    std::free(to);
    std::free(found);
    std::free(is_process);
    return nullptr;
  }
  found->count = count;
  for (int i = 0; i < count; ++i) {
    is_process[i] = to[i] >= 0;
    found->real += is_process[i] ? 1 : 0;
  }
  found->is_process = is_process;
  found->ranks = to;
  communicator.neighbours = found;
  if (record != nullptr && kind != RANKWISE_TOPOLOGY_CART) communicators::note_neighbours(communicator);
  return found;
}
