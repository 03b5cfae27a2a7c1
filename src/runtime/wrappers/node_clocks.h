// Compares the clocks of nodes, in MPI_Init and MPI_Finalize: the only messages that Rankwise sends. Included inside
// the namespace of a build.
//
// One process of each node, its leader, exchanges messages with the leader of another node, along a binomial tree whose
// root is rank 0. They have a private communicator: operations that the program has left open when it calls
// MPI_Finalize, such as a receive from any source, can't match them.
//
// In MPI_Init all processes are present. In MPI_Finalize some may never arrive: they have called exit, have died, or
// will call MPI_Abort, and the job's end is then up to the program and its MPI. So no leader waits long for the others.
// A leader that gives up notifies its remaining partners, so that they do not wait for it when they arrive. It discards
// the data of the comparison received until then.

namespace node_clocks {

// clang-format off
#define RANKWISE_CLOCK_CALLS(X)                                                                             \
  X(Allgather) X(Cancel) X(Comm_get_errhandler) X(Comm_get_parent) X(Comm_rank) X(Comm_set_errhandler)      \
  X(Comm_size) X(Comm_split) X(Errhandler_free) X(Iprobe) X(Irecv) X(Isend) X(Request_free) X(Test)
// clang-format on

// The library's own, so that no tool counts them.
struct Calls {
#define RANKWISE_CLOCK_CALL(name) decltype(&declared::MPI_##name) name = nullptr;
  RANKWISE_CLOCK_CALLS(RANKWISE_CLOCK_CALL)
#undef RANKWISE_CLOCK_CALL
  int (*Comm_create_errhandler)(void (*)(MPI_Comm *, int *, ...), MPI_Errhandler *) = nullptr;

  // False if the library lacks one of them.
  bool find() {
    bool all = find("PMPI_Comm_create_errhandler", Comm_create_errhandler);
#define RANKWISE_CLOCK_CALL(name) all = find("PMPI_" #name, name) && all;
    RANKWISE_CLOCK_CALLS(RANKWISE_CLOCK_CALL)
#undef RANKWISE_CLOCK_CALL
    return all;
  }

 private:
  template <class Function>
  static bool find(const char *name, Function &function) {
    function = reinterpret_cast<Function>(library::function(name));
    return function != nullptr;
  }
};

constexpr int exchanges = 40;
constexpr int word_bytes = static_cast<int>(sizeof(std::uint64_t));
constexpr std::uint64_t gone = ~0ULL;  // instead of ticks: the sender takes no further part
constexpr std::int64_t patience_at_start_ns = 10'000'000'000;
constexpr std::int64_t patience_at_stop_ns = 1'000'000'000;
constexpr int tag_at_start = 1;
constexpr int tag_at_stop = 2;

namespace state {
inline Calls mpi;
inline MPI_Comm leaders{};
inline int count = 0;  // of leaders; 0 = there is no such communicator, or this process is not in it
inline int own = 0;    // place among them
inline pid_t process = 0;
// RATIONALE: not on the stack. MPI may still read or write an abandoned message.
inline std::uint64_t sent = 0;
inline std::uint64_t received = 0;
inline std::uint64_t farewell = gone;
}  // namespace state

// The data that each process sends to all others.
struct Told {
  std::uint64_t clock;
  std::uint64_t wanted;
};

inline void ignore_error(MPI_Comm * /*comm*/, int * /*code*/, ...) {}

// While it exists, errors on a communicator are returned, and neither the program's handler nor MPI's own is called.
//
// RATIONALE: a private handler, because libraries with the standard ABI do not agree on the value of MPI_ERRORS_RETURN.
class Quiet {
 public:
  explicit Quiet(MPI_Comm comm) : comm_(comm) {
    has_before_ = state::mpi.Comm_get_errhandler(comm_, &before_) == abi::success;
    if (has_before_) for_good(comm_);
  }
  Quiet(const Quiet &) = delete;
  Quiet &operator=(const Quiet &) = delete;
  ~Quiet() {
    if (!has_before_) return;
    state::mpi.Comm_set_errhandler(comm_, before_);
    state::mpi.Errhandler_free(&before_);
  }
  static void for_good(MPI_Comm comm) {
    MPI_Errhandler handler{};
    if (state::mpi.Comm_create_errhandler(ignore_error, &handler) != abi::success) return;
    state::mpi.Comm_set_errhandler(comm, handler);
    state::mpi.Errhandler_free(&handler);
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_{};
  bool has_before_ = false;
};

// The messages of one comparison of all clocks.
class Messages {
 public:
  Messages(int tag, std::int64_t patience_ns) : until_(clock::nanoseconds(CLOCK_MONOTONIC) + patience_ns), tag_(tag) {}

  // Each is false if there is an error, no time left, or the other one has gone. Then no further messages are
  // exchanged.
  bool send(std::uint64_t word, int to) {
    state::sent = word;
    MPI_Request request = abi::request_null;
    return !has_gone_ &&
           state::mpi.Isend(&state::sent, word_bytes, abi::byte, to, tag_, state::leaders, &request) == abi::success &&
           (complete(request) || forget(request));
  }
  bool receive(std::uint64_t &word, int from) {
    MPI_Request request = abi::request_null;
    if (has_gone_ || state::mpi.Irecv(&state::received, word_bytes, abi::byte, from, tag_, state::leaders, &request) !=
                         abi::success) {
      return false;
    }
    if (!complete(request)) {
      if (request != abi::request_null) state::mpi.Cancel(&request);
      return forget(request);
    }
    word = state::received;
    return word != gone;
  }

  // Whether the other one, whose turn it is not, has said goodbye: then nothing is sent to it, because its MPI may be
  // closed.
  bool is_over(int other) const {
    int flag = 0;
    return has_gone_ || state::mpi.Iprobe(other, tag_, state::leaders, &flag, abi::status_ignore()) != abi::success ||
           flag != 0;
  }
  // No process needs to wait for us.
  void bid_farewell(int to) {
    MPI_Request request = abi::request_null;
    if (state::mpi.Isend(&state::farewell, word_bytes, abi::byte, to, tag_, state::leaders, &request) == abi::success) {
      forget(request);
    }
  }
  bool has_gone() const { return has_gone_; }

 private:
  bool complete(MPI_Request &request) {
    constexpr int tests_a_look = 64;  // at the clock
    for (int tests = 1;; ++tests) {
      int done = 0;
      if (state::mpi.Test(&request, &done, abi::status_ignore()) != abi::success) break;
      if (done != 0) return true;
      if (tests % tests_a_look != 0) continue;
      if (clock::nanoseconds(CLOCK_MONOTONIC) > until_) break;
      sched_yield();
    }
    has_gone_ = true;
    return false;
  }
  // Replaces a message that can't be waited for.
  static bool forget(MPI_Request &request) {
    constexpr int most_tests = 64;
    for (int tests = 0; request != abi::request_null && tests < most_tests; ++tests) {
      int done = 0;
      if (state::mpi.Test(&request, &done, abi::status_ignore()) != abi::success) return false;
    }
    if (request != abi::request_null) state::mpi.Request_free(&request);
    return false;
  }

  std::int64_t until_;
  int tag_;
  bool has_gone_ = false;
};

// Sends our ticks to another leader as often as it requests them. The first word identifies our clock.
inline void answer(Messages &messages, int other, std::uint64_t clock) {
  std::uint64_t word = 0;
  bool going_on = messages.receive(word, other) && !messages.is_over(other) && messages.send(clock, other);
  for (int i = 0; going_on && i < exchanges; ++i) {
    going_on = messages.receive(word, other) && messages.send(clock::ticks(), other);
  }
}

inline bool ask(Messages &messages, int other, std::uint64_t &clock, rankwise_clock_comparison &best) {
  std::uint64_t word = 0;
  bool going_on = !messages.is_over(other) && messages.send(0, other) && messages.receive(clock, other);
  best.round_trip = ~0ULL;
  for (int i = 0; going_on && i < exchanges; ++i) {
    const std::uint64_t asked = clock::ticks();
    going_on = messages.send(0, other) && messages.receive(word, other);
    const std::uint64_t round_trip = clock::elapsed(asked, clock::ticks());
    if (going_on && round_trip < best.round_trip) best = {asked + round_trip / 2, word, round_trip};
  }
  return going_on;
}

// Round k compares the clocks of all leaders whose place has k zeros at its end with those 2^k before them.
inline void compare(Messages messages, rankwise_header *head, rankwise_clock_comparison rankwise_header::*into) {
  const std::uint64_t own_clock = node_clock::id();
  for (int step = 1; step < state::count; step *= 2) {
    const bool asks = (state::own & step) != 0;
    const int other = asks ? state::own - step : state::own + step;
    if (other >= state::count) continue;
    if (!messages.has_gone() && asks) {
      std::uint64_t reference = 0;
      rankwise_clock_comparison best{};
      if (ask(messages, other, reference, best) && head != nullptr) {
        head->reference = reference;
        head->*into = best;
      }
    } else if (!messages.has_gone()) {
      answer(messages, other, own_clock);
    }
    if (messages.has_gone()) messages.bid_farewell(other);
    if (asks) return;
  }
}

// Whether this process is the first of its node among all; `several` if there are more nodes than one. All processes
// reach the same decision: whether clocks are compared, and which.
inline bool is_leader(const Told &own, int rank, int size, bool *several) {
  auto *all = static_cast<Told *>(std::calloc(static_cast<std::size_t>(size), sizeof(Told)));
  if (all == nullptr) return false;
  constexpr int bytes = static_cast<int>(sizeof(Told));
  bool agreed =
      state::mpi.Allgather(&own, bytes, abi::byte, all, bytes, abi::byte, world::communicator()) == abi::success;
  bool leads = true;
  for (int i = 0; i < size; ++i) {
    agreed = agreed && all[i].wanted == 1 && all[i].clock != 0;
    if (all[i].clock != own.clock) *several = true;
    if (all[i].clock == own.clock && i < rank) leads = false;
  }
  std::free(all);
  *several = *several && agreed;
  return leads;
}

// MPI_Init has succeeded. Every process that has the variable takes part, regardless of its counters: the others would
// wait for it. RATIONALE: so the variable is given only to launches all of whose processes are ours. Its value may
// differ: it is agreed on.
inline void at_start() {
  char *wanted = std::getenv("RANKWISE_CLOCK_SYNC");
  if (wanted == nullptr || *wanted == '\0') return;
  const Told own{node_clock::id(), strcmp(wanted, "on") == 0 ? 1U : 0U};
  // Jobs that this process starts are separate, and may include nodes without Rankwise.
  *wanted = '\0';
  if (!state::mpi.find()) return;
  abi::find_constants("");
  // If this process was spawned, the other spawned ones are unknown.
  MPI_Comm parent = abi::comm_null;
  if (state::mpi.Comm_get_parent(&parent) != abi::success || parent != abi::comm_null) return;
  int size = 0;
  int rank = 0;
  if (state::mpi.Comm_size(world::communicator(), &size) != abi::success || size < 2) return;
  if (state::mpi.Comm_rank(world::communicator(), &rank) != abi::success) return;
  const Quiet quiet(world::communicator());
  bool several = false;
  const bool leads = is_leader(own, rank, size, &several);
  if (!several) return;
  // RATIONALE: not MPI_Comm_create_group, though only leaders would have to call it: Open MPI 5 may need the launcher
  // for it, and not every launcher supports that.
  MPI_Comm leaders = abi::comm_null;
  const int color = leads ? 0 : abi::undefined;
  if (state::mpi.Comm_split(world::communicator(), color, rank, &leaders) != abi::success || leaders == abi::comm_null)
    return;
  Quiet::for_good(leaders);
  state::leaders = leaders;
  int count = 0;
  if (state::mpi.Comm_rank(leaders, &state::own) != abi::success) return;
  if (state::mpi.Comm_size(leaders, &count) != abi::success) return;
  state::count = count;
  state::process = getpid();
  compare({tag_at_start, patience_at_start_ns}, counters_file::header(), &rankwise_header::at_start);
}

// The program has called MPI_Finalize; whether all others do is not known.
//
// RATIONALE: the communicator is left to MPI_Finalize. Freeing it is collective, and some may not be here.
inline void at_stop() {
  if (state::count == 0 || state::process != getpid()) return;
  compare({tag_at_stop, patience_at_stop_ns}, counters_file::header(), &rankwise_header::at_stop);
  state::count = 0;
}

}  // namespace node_clocks
