// Gathers the edges of a virtual topology on rank 0. Included inside the namespace of a build.

namespace reordering_here {

// From the process that has it, in ranks of the topology.
struct Edge {
  std::int32_t to;
  std::int32_t weight;
};

// The edges that leave this process, according to MPI: none if it is not in the topology.
class OwnEdges {
 public:
  OwnEdges(MPI_Comm topology, rankwise_topology kind, int rank) {
    fine_ = true;
    if (topology == abi::comm_null) return;
    int count = 0;
    const int *weights = nullptr;
    int *to = destinations_of(topology, kind, rank, &count, &weights);
    edges_ = static_cast<Edge *>(std::calloc(static_cast<std::size_t>(count) + 1, sizeof(Edge)));
    fine_ = to != nullptr && edges_ != nullptr;
    for (int i = 0; fine_ && i < count; ++i) {
      if (to[i] < 0) continue;  // the end of a grid
      const int weight = weights != nullptr ? weights[i] : 1;
      edges_[count_++] = {to[i], weight};
      fine_ = weight >= 0;
    }
    std::free(to);
  }
  ~OwnEdges() { std::free(edges_); }
  OwnEdges(const OwnEdges &) = delete;
  OwnEdges &operator=(const OwnEdges &) = delete;

  bool fine() const { return fine_; }
  int count() const { return count_; }
  const Edge *edges() const { return edges_; }

 private:
  Edge *edges_ = nullptr;
  int count_ = 0;
  bool fine_ = false;
};

// All edges, on rank 0. Only the weight of an edge shows its traffic, "a hint [...] about the amount or intensity of
// communication on that edge" (MPI 4.1, section 8.5.4). A unit counts as a message of 1 KiB, so that the cost grows
// with the weight for any description of the machine.
class Traffic {
 public:
  static constexpr double bytes_of_unit = 1024;

  Traffic() = default;
  ~Traffic() {
    std::free(counts_);
    std::free(edges_);
    std::free(numbers_);
    std::free(ends_);
  }
  Traffic(const Traffic &) = delete;
  Traffic &operator=(const Traffic &) = delete;

  // Collective; false on all if rank 0 can't gather them.
  bool gather(Handle copy, int rank, int size, int roles, const OwnEdges &own_edges) {
    const bool root = rank == 0;
    const auto n = static_cast<std::size_t>(size);
    if (root) counts_ = static_cast<int *>(std::malloc(2 * n * sizeof(int)));
    const int count = own_edges.count();
    bool fine = tell_all(copy, !root || counts_ != nullptr);
    if (!fine || !own::gather(copy, 0, &count, sizeof count, counts_)) return false;
    fine = tell_all(copy, !root || make_room(size));
    if (!fine) return false;
    int *places = root ? counts_ + n : nullptr;
    if (!own::gather_records(copy, 0, sizeof(Edge), own_edges.edges(), count, edges_, counts_, places)) return false;
    if (root) describe(size, roles);
    return true;
  }

  const rankwise_traffic *of_root(int rank) const { return rank == 0 && described_ ? &traffic_ : nullptr; }

 private:
  // Rank 0 decides whether to continue.
  static bool tell_all(Handle copy, bool go_on) { return own::broadcast(copy, 0, &go_on, sizeof go_on) && go_on; }

  bool make_room(int size) {
    std::int64_t sum = 0;
    for (int i = 0; i < size; ++i) {
      if (sum > INT32_MAX) return false;  // places are `int`
      counts_[size + i] = static_cast<int>(sum);
      sum += counts_[i];
    }
    const auto all = static_cast<std::size_t>(sum) + 1;
    edges_ = static_cast<Edge *>(std::malloc(all * sizeof(Edge)));
    ends_ = static_cast<std::int32_t *>(std::malloc(2 * all * sizeof(std::int32_t)));
    numbers_ = static_cast<double *>(std::malloc(2 * all * sizeof(double)));
    entries_ = sum;
    return edges_ != nullptr && ends_ != nullptr && numbers_ != nullptr;
  }

  void describe(int size, int roles) {
    std::int32_t *source = ends_;
    std::int32_t *destination = ends_ + entries_;
    double *bytes = numbers_;
    double *messages = numbers_ + entries_;
    std::int64_t entry = 0;
    for (int from = 0; from < size; ++from) {
      for (int i = 0; i < counts_[from]; ++i, ++entry) {
        source[entry] = from;
        destination[entry] = edges_[entry].to;
        messages[entry] = edges_[entry].weight;
        bytes[entry] = bytes_of_unit * messages[entry];
      }
    }
    traffic_ = {roles, entries_, source, destination, bytes, messages};
    described_ = true;
  }

  int *counts_ = nullptr;  // [size], and as many places
  Edge *edges_ = nullptr;
  std::int32_t *ends_ = nullptr;
  double *numbers_ = nullptr;
  std::int64_t entries_ = 0;
  rankwise_traffic traffic_{};
  bool described_ = false;
};

}  // namespace reordering_here
