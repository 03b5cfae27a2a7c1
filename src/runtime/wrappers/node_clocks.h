// The clocks of nodes compared, in MPI_Init and MPI_Finalize: the only messages of our own. Included inside the
// namespace of a build.
//
// One process of each node, its leader, exchanges messages with the leader of another node, along a binomial tree whose
// root is rank 0. They have a communicator of their own: what the program has left open when it calls MPI_Finalize,
// such as a receive from any source, can't meet them.

namespace node_clocks {

namespace state {
inline MPI_Comm leaders{};
inline int count = 0;  // of leaders; 0 = there is no such communicator, or this process is not in it
inline int own = 0;    // place among them
inline pid_t process = 0;
}  // namespace state

// What each process tells all others.
struct Told {
  std::uint64_t clock;
  std::uint64_t wanted;
};

template <class Function, class... Arguments>
bool call(const char *name, Arguments... arguments) {
  const auto function = reinterpret_cast<Function>(library::function(name));
  return function != nullptr && function(arguments...) == abi::success;
}
#define RANKWISE_CALL(name, ...) node_clocks::call<decltype(&declared::MPI_##name)>("PMPI_" #name, __VA_ARGS__)

// The first process of each node, in the order of their ranks: `ranks` gets them, and the place of our own node's among
// them is returned; -1 if there is no memory.
inline int find_leaders(const Told *all, int size, std::uint64_t own, int *ranks, int *leaders) {
  std::size_t slots = 2;
  while (slots < 2 * static_cast<std::size_t>(size)) slots *= 2;
  auto *first = static_cast<int *>(std::calloc(slots, sizeof(int)));  // rank + 1, by clock
  if (first == nullptr) return -1;
  int place = -1;
  for (int rank = 0; rank < size; ++rank) {
    std::size_t slot = scatter(all[rank].clock) & (slots - 1);
    while (first[slot] != 0 && all[first[slot] - 1].clock != all[rank].clock) slot = (slot + 1) & (slots - 1);
    if (first[slot] != 0) continue;
    first[slot] = rank + 1;
    if (all[rank].clock == own) place = *leaders;
    ranks[(*leaders)++] = rank;
  }
  std::free(first);
  return place;
}

constexpr int exchanges = 40;
constexpr int tag = 0;

inline bool receive(void *word, int from) {
  return RANKWISE_CALL(Recv, word, static_cast<int>(sizeof(std::uint64_t)), abi::byte, from, tag, state::leaders,
                       abi::status_ignore());
}
inline bool send(const void *word, int to) {
  return RANKWISE_CALL(Send, word, static_cast<int>(sizeof(std::uint64_t)), abi::byte, to, tag, state::leaders);
}

// Tells another leader our ticks as often as it asks. The first word is whose clock ours is.
inline bool answer(int other, std::uint64_t clock) {
  std::uint64_t word = 0;
  bool going_on = receive(&word, other) && send(&clock, other);
  for (int i = 0; going_on && i < exchanges; ++i) {
    going_on = receive(&word, other);
    word = clock::ticks();
    going_on = going_on && send(&word, other);
  }
  return going_on;
}

inline bool ask(int other, std::uint64_t &clock, rankwise_clock_comparison &best) {
  std::uint64_t word = 0;
  bool going_on = send(&word, other) && receive(&clock, other);
  best.round_trip = ~0ULL;
  for (int i = 0; going_on && i < exchanges; ++i) {
    const std::uint64_t asked = clock::ticks();
    going_on = send(&word, other) && receive(&word, other);
    const std::uint64_t round_trip = clock::elapsed(asked, clock::ticks());
    if (going_on && round_trip < best.round_trip) best = {asked + round_trip / 2, word, round_trip};
  }
  return going_on;
}

// Round k compares the clocks of all leaders whose place has k zeros at its end with those 2^k before them.
inline void compare(std::uint64_t own_clock, rankwise_header *head, rankwise_clock_comparison rankwise_header::*into) {
  for (int step = 1; step < state::count; step *= 2) {
    if ((state::own & step) != 0) {
      std::uint64_t reference = 0;
      rankwise_clock_comparison best{};
      if (ask(state::own - step, reference, best) && head != nullptr) {
        head->reference = reference;
        head->*into = best;
      }
      return;
    }
    if (state::own + step < state::count && !answer(state::own + step, own_clock)) return;
  }
}

// Of the leaders alone.
inline bool make_communicator(const int *ranks, int count) {
  MPI_Group world{};
  MPI_Group group{};
  if (!RANKWISE_CALL(Comm_group, abi::comm_world, &world)) return false;
  bool made = RANKWISE_CALL(Group_incl, world, count, ranks, &group);
  if (made) {
    made = RANKWISE_CALL(Comm_create_group, abi::comm_world, group, tag, &state::leaders);
    static_cast<void>(RANKWISE_CALL(Group_free, &group));
  }
  static_cast<void>(RANKWISE_CALL(Group_free, &world));
  return made;
}

// MPI_Init has succeeded. Every process that has the variable takes part, whatever became of its counters: the others
// would wait for it. RATIONALE: so the variable is given only to launches all of whose processes are ours, and what it
// says may differ: it is agreed on.
inline void at_start() {
  const char *wanted = std::getenv("RANKWISE_CLOCK_SYNC");
  if (wanted == nullptr || *wanted == '\0') return;
  abi::find_constants("");
  int size = 0;
  int rank = 0;
  if (!RANKWISE_CALL(Comm_size, abi::comm_world, &size) || size < 2) return;
  if (!RANKWISE_CALL(Comm_rank, abi::comm_world, &rank)) return;
  const Told own{node_clock::id(), strcmp(wanted, "on") == 0 ? 1U : 0U};
  auto *all = static_cast<Told *>(std::calloc(static_cast<std::size_t>(size), sizeof(Told) + sizeof(int)));
  if (all == nullptr) return;
  auto *ranks = reinterpret_cast<int *>(all + size);
  bool agreed = RANKWISE_CALL(Allgather, &own, static_cast<int>(sizeof own), abi::byte, all,
                              static_cast<int>(sizeof own), abi::byte, abi::comm_world);
  for (int i = 0; i < size; ++i) agreed = agreed && all[i].wanted == 1 && all[i].clock != 0;
  int leaders = 0;
  const int place = agreed ? find_leaders(all, size, own.clock, ranks, &leaders) : -1;
  if (place >= 0 && leaders > 1 && ranks[place] == rank && make_communicator(ranks, leaders)) {
    state::own = place;
    state::count = leaders;
    state::process = getpid();
    compare(own.clock, counters_file::header(), &rankwise_header::at_start);
  }
  std::free(all);
}

// The program has called MPI_Finalize, as all others do.
inline void at_stop() {
  if (state::count == 0 || state::process != getpid()) return;
  // What went wrong with the others is the program's to judge.
  MPI_Errhandler handler{};
  if (RANKWISE_CALL(Comm_get_errhandler, abi::comm_world, &handler)) {
    static_cast<void>(RANKWISE_CALL(Comm_set_errhandler, state::leaders, handler));
    static_cast<void>(RANKWISE_CALL(Errhandler_free, &handler));
  }
  compare(node_clock::id(), counters_file::header(), &rankwise_header::at_stop);
  state::count = 0;
  static_cast<void>(RANKWISE_CALL(Comm_free, &state::leaders));
}

}  // namespace node_clocks
