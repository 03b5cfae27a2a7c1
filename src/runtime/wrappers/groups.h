// Queries about the processes of a communicator. Included inside the namespace of a build.

// The group of all processes of the world, kept while MPI is open (lifecycle.h). The lock is for programs with
// sessions: one may be finalised, and its group be replaced by another's, while a thread works in the other.
struct WorldGroup {
  MPI_Group handle{};
  bool known = false;
  bool closing = false;  // in MPI_Finalize, where callbacks may still communicate: queried each time
  Lock lock;
};
inline WorldGroup world_group;

// A group that is freed at the end of the scope.
class Group {
 public:
  enum class Side { local, remote };

  Group(MPI_Comm comm, Side side) {
    const int rc = side == Side::local ? queries.Comm_group(comm, &group_) : queries.Comm_remote_group(comm, &group_);
    valid_ = rc == abi::success;
  }
  explicit Group(MPI_Win win) { valid_ = queries.Win_get_group(win, &group_) == abi::success; }
  // The program's own, which is not freed.
  static Group given(MPI_Group group) { return Group(group, true); }
  ~Group() {
    if (valid_ && !is_given_) queries.Group_free(&group_);
  }
  Group(const Group &) = delete;
  Group &operator=(const Group &) = delete;

  int size() const {
    int value = 0;
    return valid_ && queries.Group_size(group_, &value) == abi::success ? value : 0;
  }

  // Ranks of the first `count` processes in another group; -1 for processes that are not in it. The result is
  // malloc'ed; nullptr if memory is exhausted or MPI fails.
  int *ranks_in(MPI_Group other, int count) const {
    if (!valid_ || count <= 0) return nullptr;
    auto *own = static_cast<int *>(std::malloc(2 * static_cast<std::size_t>(count) * sizeof(int)));
    if (own == nullptr) return nullptr;
    int *theirs = own;
    int *sequence = own + count;
    for (int i = 0; i < count; ++i) sequence[i] = i;
    if (queries.Group_translate_ranks(group_, count, sequence, other, theirs) != abi::success) {
      std::free(own);
      return nullptr;
    }
    for (int i = 0; i < count; ++i) {
      if (theirs[i] < 0) theirs[i] = -1;
    }
    return theirs;
  }

  int *world_ranks() const {
    const Guard guard(world_group.lock, threads::several);
    if (world_group.known) return ranks_in(world_group.handle, size());
    if (!world_group.closing) return nullptr;
    const Group all(world::communicator(), Side::local);
    return all.valid_ ? ranks_in(all.handle(), size()) : nullptr;
  }

  // Rank of the first process in another group, -1 if it is not in it.
  int first_in(MPI_Group other) const {
    int first = 0;
    int theirs = -1;
    if (!valid_ || queries.Group_translate_ranks(group_, 1, &first, other, &theirs) != abi::success) return -1;
    return theirs < 0 ? -1 : theirs;
  }

  MPI_Group handle() const { return group_; }

 private:
  Group(MPI_Group group, bool valid) : group_(group), valid_(valid), is_given_(true) {}

  MPI_Group group_{};
  bool valid_ = false;
  bool is_given_ = false;
};

// Hash of the members' world ranks in order, and the first of them.
struct Members {
  std::uint64_t hash = 0;
  int first = -1;

  explicit Members(const Group &group) {
    const int count = group.size();
    int *ranks = group.world_ranks();
    if (ranks == nullptr) return;
    hash = chain(0, static_cast<std::uint64_t>(count));
    for (int i = 0; i < count; ++i) hash = chain(hash, static_cast<std::uint64_t>(ranks[i]));
    first = ranks[0];
    std::free(ranks);
  }
};

// Keeps a result that several threads may have determined at once: all get the first one's.
inline const int *remember(int *&place, int *ranks) {
  int *first = nullptr;
  if (ranks == nullptr ||
      __atomic_compare_exchange_n(&place, &first, ranks, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return ranks;
  }
  std::free(ranks);
  return first;
}

// The world ranks of the processes that messages on this communicator go to, kept with it; nullptr if unknown.
[[gnu::noinline]] inline const int *ask_world_ranks(MPI_Comm comm, communicators::Communicator &communicator) {
  const Group group(comm, communicator.inter ? Group::Side::remote : Group::Side::local);
  return remember(communicator.world_ranks, group.world_ranks());
}

// World rank of the destination of messages on this communicator, if it is known without a query, else negative.
[[gnu::always_inline]] inline int world_rank_at_once(const communicators::Communicator &communicator, int peer) {
  if (peer < 0 || peer >= communicator.peers()) return -1;
  if (communicator.is_world) return peer;
  const int *ranks = __atomic_load_n(&communicator.world_ranks, __ATOMIC_ACQUIRE);
  return ranks == nullptr ? -1 : ranks[peer];
}

// World rank of the destination of messages on this communicator; RANKWISE_PEER_UNKNOWN if it has none.
[[gnu::always_inline]] inline std::uint32_t world_rank(MPI_Comm comm, communicators::Communicator &communicator,
                                                       int peer) {
  if (peer < 0 || peer >= communicator.peers()) return RANKWISE_PEER_UNKNOWN;
  if (communicator.is_world) return static_cast<std::uint32_t>(peer);
  const int *ranks = __atomic_load_n(&communicator.world_ranks, __ATOMIC_ACQUIRE);
  if (ranks == nullptr) [[unlikely]] {
    ranks = ask_world_ranks(comm, communicator);
    if (ranks == nullptr) return RANKWISE_PEER_UNKNOWN;
  }
  return ranks[peer] < 0 ? static_cast<std::uint32_t>(RANKWISE_PEER_UNKNOWN) : static_cast<std::uint32_t>(ranks[peer]);
}
