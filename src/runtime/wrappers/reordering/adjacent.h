// The arguments of MPI_Dist_graph_create_adjacent: each process passes the edges of its vertex, so with another
// rank it must pass another process's. Included inside the namespace of a build.

namespace reordering_here {

// Arguments that are not weight lists, and are used as they are on the process that gets them.
enum class Weights : int { listed, unweighted, empty, null };

inline Weights kind_of(const int *weights) {
  if (weights == nullptr) return Weights::null;
  if (weights == abi::unweighted()) return Weights::unweighted;
  return weights == abi::weights_empty() ? Weights::empty : Weights::listed;
}

// One direction.
struct Neighbourhood {
  int degree = 0;
  const int *ranks = nullptr;
  const int *weights = nullptr;
};

class AdjacentLists {
 public:
  AdjacentLists(const Neighbourhood &in, const Neighbourhood &out) : in_(in), out_(out) {}
  ~AdjacentLists() { std::free(received_); }
  AdjacentLists(const AdjacentLists &) = delete;
  AdjacentLists &operator=(const AdjacentLists &) = delete;

  const Neighbourhood &in() const { return in_; }
  const Neighbourhood &out() const { return out_; }

  // Collective: receives the lists of this process's new rank, and sends its own, in their order. False on all if one
  // of them has no memory.
  bool exchange(MPI_Comm copy, int rank, int size, const int *new_rank) {
    int to = 0;
    while (to < size && new_rank[to] != rank) ++to;
    const Exchange exchange{copy, to, new_rank[rank]};
    const Head own_head{in_.degree, out_.degree, kind_of(in_.weights), kind_of(out_.weights)};
    Head head{};
    bool fine = exchange.swap(&own_head, sizeof own_head, &head, sizeof head);
    const std::size_t own_ints = own_head.ints();
    const std::size_t ints = fine ? head.ints() : 0;
    auto *packed = static_cast<int *>(std::malloc((own_ints + 1) * sizeof(int)));
    received_ = static_cast<int *>(std::malloc((ints + 1) * sizeof(int)));
    fine = fine && packed != nullptr && received_ != nullptr;
    fine = fine && own::Words(own_ints * sizeof(int)).fit && own::Words(ints * sizeof(int)).fit;
    fine = agree(copy, fine);
    if (fine) {
      int *next = packed;
      pack(in_, &next);
      pack(out_, &next);
      fine = exchange.swap(packed, own_ints * sizeof(int), received_, ints * sizeof(int));
      const int *from = received_;
      in_ = unpacked(head.indegree, head.in, &from);
      out_ = unpacked(head.outdegree, head.out, &from);
    }
    std::free(packed);
    return agree(copy, fine);
  }

 private:
  struct Head {
    int indegree;
    int outdegree;
    Weights in;
    Weights out;

    static std::size_t of_one(int degree, Weights kind) {
      return static_cast<std::size_t>(degree) * (kind == Weights::listed ? 2 : 1);
    }
    std::size_t ints() const { return of_one(indegree, in) + of_one(outdegree, out); }
  };

  // Exchanges with the process that gets our lists, and the process whose lists we get.
  struct Exchange {
    MPI_Comm copy;
    int to;
    int from;

    bool swap(const void *own_data, std::size_t own_bytes, void *data, std::size_t bytes) const {
      constexpr int tag = 0;
      const own::Words sent(own_bytes);
      const own::Words received(bytes);
      MPI_Status status;
      return RANKWISE_ASK(Sendrecv, own_data, sent.count, abi::byte, to, tag, data, received.count, abi::byte, from,
                          tag, copy, &status);
    }
  };

  static void pack(const Neighbourhood &one, int **next) {
    const auto bytes = static_cast<std::size_t>(one.degree) * sizeof(int);
    if (bytes == 0) return;
    memcpy(*next, one.ranks, bytes);
    *next += one.degree;
    if (kind_of(one.weights) != Weights::listed) return;
    memcpy(*next, one.weights, bytes);
    *next += one.degree;
  }

  static Neighbourhood unpacked(int degree, Weights kind, const int **from) {
    Neighbourhood one{degree, *from, nullptr};
    *from += degree;
    switch (kind) {
      case Weights::listed:
        one.weights = *from;
        *from += degree;
        break;
      case Weights::unweighted:
        one.weights = abi::unweighted();
        break;
      case Weights::empty:
        one.weights = abi::weights_empty();
        break;
      case Weights::null:
        break;
    }
    return one;
  }

  Neighbourhood in_;
  Neighbourhood out_;
  int *received_ = nullptr;
};

}  // namespace reordering_here
