// Open MPI 4.x and 5.x: its point-to-point layer (PML) is called through an exported table of functions, `mca_pml`,
// regardless of the transport below. Included inside namespace rankwise::openmpi.
//
// The library's own messages have negative tags. Its blocking collectives use a few fixed ones; each operation of
// libnbc, which does non-blocking and persistent collectives, has its own below them. Below those are fixed ones again:
// blocking neighbourhood collectives use one for each direction of a grid.

namespace pml {

using Receive = int (*)(void *, std::size_t, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
using Send = int (*)(const void *, std::size_t, MPI_Datatype, int, int, int, MPI_Comm);
using Post = int (*)(const void *, std::size_t, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request *);
using Start = int (*)(std::size_t, MPI_Request *);
using Delete = int (*)(MPI_Comm);

// Positions in the table. Open MPI 5 has an additional function after del_comm.
enum Position { del_comm = 5, irecv = 7, isend_init = 9, isend = 10, send = 11, start_requests = 14 };

struct Original {
  Delete del_comm = nullptr;
  Receive irecv = nullptr;
  Post isend_init = nullptr;
  Post isend = nullptr;
  Send send = nullptr;
  Start start = nullptr;
};

inline Original original;
inline void **table = nullptr;
inline int shift = 0;
inline int first_tag_of_libnbc = 0;
inline constexpr int first_tag_of_neighbours = -(0x7FFFFFFF / 2);
inline constexpr int last_tag_of_neighbours = first_tag_of_neighbours - 1024;

// The messages that the self-test waits for.
struct Probe {
  bool running = false;
  int seen = 0;
};
inline constinit thread_local Probe probe;
inline constexpr int probe_tag = 4242;
inline constexpr std::size_t probe_bytes = 3;

// --- The destination of a message ---

// An internal communicator of the library, or one that is not yet returned to the program.
struct Hidden {
  std::uint64_t handle = 0;
  int size = 0;
  int *world_ranks = nullptr;
  Hidden *next_unused = nullptr;

  void release() { std::free(world_ranks); }
};
inline constinit HandleTable<Hidden> hidden_communicators;

inline Hidden *add_hidden(MPI_Comm comm) {
  int inter = 0;
  queries.Comm_test_inter(comm, &inter);
  const Group group(comm, inter != 0 ? Group::Side::remote : Group::Side::local);
  int *ranks = group.world_ranks();
  Hidden *added = hidden_communicators.add_if_new(abi::bits(comm), [&](Hidden &hidden) {
    hidden.size = ranks != nullptr ? group.size() : 0;
    hidden.world_ranks = ranks;
    ranks = nullptr;
  });
  std::free(ranks);
  return added;
}

inline communicators::Communicator *known_communicator(MPI_Comm comm) {
  Thread *thread = threads::current;
  return thread != nullptr ? communicators::table.find(thread->communicator_cache, abi::bits(comm))
                           : communicators::table.find(abi::bits(comm));
}

inline std::uint32_t peer_on_hidden(MPI_Comm comm, int rank) {
  Hidden *hidden = hidden_communicators.find(abi::bits(comm));
  if (hidden == nullptr) hidden = add_hidden(comm);
  if (hidden == nullptr || rank < 0 || rank >= hidden->size || hidden->world_ranks[rank] < 0) {
    return RANKWISE_PEER_UNKNOWN;
  }
  return static_cast<std::uint32_t>(hidden->world_ranks[rank]);
}

// --- The kind of a message ---

inline bool has_operation(int tag) {
  return tag <= first_tag_of_libnbc && (tag > first_tag_of_neighbours || tag < last_tag_of_neighbours);
}

inline inside::Operation operation_of(MPI_Comm comm, communicators::Communicator *communicator, int tag) {
  if (!has_operation(tag)) return {0};
  inside::Operation operation(chain(abi::bits(comm), static_cast<std::uint32_t>(tag)));
  if (communicator != nullptr) {
    operation.communicator = communicator->index;
    operation.late_calls = &communicator->late_calls;
  }
  return operation;
}

// Files and windows send with tags like the program's, from calls that send nothing for the program.
inline bool is_own(int tag) {
  if (tag < 0) return true;
  const Thread *thread = threads::current;
  if (thread == nullptr || thread->record->inside_key == 0) return false;
  return has_messages_of_its_own[static_cast<int>(keys::procedure(thread->record->inside_key))];
}

inline void see(std::size_t count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm) {
  if (!is_own(tag)) {
    if (probe.running && tag == probe_tag && comm == abi::comm_self && rank == 0 &&
        count * datatype_size(datatype) == probe_bytes) {
      ++probe.seen;
    }
    return;
  }
  if (!inside::active || rank < 0) return;
  communicators::Communicator *communicator = known_communicator(comm);
  const std::uint32_t peer =
      communicator != nullptr ? world_rank(comm, *communicator, rank) : peer_on_hidden(comm, rank);
  inside::sent(peer, count * datatype_size(datatype), operation_of(comm, communicator, tag));
}

// The same for messages that are quickly classified: the program's messages, and the usual ones of the library. False
// if it takes longer; then nothing has been done.
[[gnu::always_inline]] inline bool see_at_once(std::size_t count, MPI_Datatype datatype, int rank, int tag,
                                               MPI_Comm comm) {
  if (tag >= 0) return !is_own(tag) && !probe.running;
  Thread *thread = threads::current;
  if (has_operation(tag) || thread == nullptr) return false;
  const communicators::Communicator *communicator =
      communicators::table.find_at_once(thread->communicator_cache, abi::bits(comm));
  const std::int64_t size = abi::size_in_handle(datatype);
  if (communicator == nullptr || size < 0) return false;
  const int peer = world_rank_at_once(*communicator, rank);
  return peer >= 0 &&
         inside::sent_at_once(*thread, static_cast<std::uint32_t>(peer), count * static_cast<std::size_t>(size));
}

// --- Persistent sends of the library's own: some collectives initialise all requests, and start them together ---

struct Initialised {
  MPI_Request request;
  std::size_t count;
  MPI_Datatype datatype;
  int rank;
  int tag;
  MPI_Comm comm;
};

// Of this thread, in the order of their initialisation; new requests hide freed ones with the same handle.
struct InitialisedSends {
  static constexpr std::size_t most = 16384;
  Initialised *sends = nullptr;
  std::size_t used = 0;
  std::size_t capacity = 0;

  void add(const Initialised &send) {
    if (used == capacity) {
      const std::size_t larger = capacity == 0 ? 64 : capacity * 2;
      void *memory = larger > most ? nullptr : std::realloc(sends, larger * sizeof(Initialised));
      if (memory == nullptr) return counters_file::drop(RANKWISE_DROPPED_INSIDE);
      sends = static_cast<Initialised *>(memory);
      capacity = larger;
    }
    sends[used++] = send;
  }

  // RATIONALE: they are started in the order of their initialisation and soon after it, so the search ends at once.
  void start(std::size_t count, const MPI_Request *requests) {
    std::size_t expected = 0;
    std::size_t found = 0;
    for (std::size_t i = 0; i < count && found < used; ++i) {
      while (expected < used && sends[expected].comm == nullptr) ++expected;
      if (expected < used && sends[expected].request == requests[i]) {
        take(sends[expected]);
        ++found;
      }
    }
    for (std::size_t i = 0; found < used && i < count; ++i) {
      for (std::size_t j = 0; j < used; ++j) {
        if (sends[j].comm != nullptr && sends[j].request == requests[i]) {
          take(sends[j]);
          ++found;
          break;
        }
      }
    }
    if (found == used) used = 0;
  }

 private:
  static void take(Initialised &send) {
    see(send.count, send.datatype, send.rank, send.tag, send.comm);
    send.comm = nullptr;
  }
};
inline constinit thread_local InitialisedSends initialised_sends;

// --- The functions in the table ---

inline int seeing_del_comm(MPI_Comm comm) {
  Hidden *hidden = hidden_communicators.find(abi::bits(comm));
  if (hidden != nullptr) {
    hidden_communicators.hide(hidden);
    hidden_communicators.drop(hidden);
  }
  return original.del_comm(comm);
}

// RATIONALE: frequent functions do little themselves, and jump to another one for the rest: no register needs to be
// saved in the usual case.
[[gnu::noinline]] inline int seeing_irecv_of_operation(void *buf, std::size_t count, MPI_Datatype datatype, int source,
                                                       int tag, MPI_Comm comm, MPI_Request *request) {
  if (inside::active) inside::posted(operation_of(comm, known_communicator(comm), tag));
  return original.irecv(buf, count, datatype, source, tag, comm, request);
}

inline int seeing_irecv(void *buf, std::size_t count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                        MPI_Request *request) {
  if (has_operation(tag)) [[unlikely]] {
    return seeing_irecv_of_operation(buf, count, datatype, source, tag, comm, request);
  }
  return original.irecv(buf, count, datatype, source, tag, comm, request);
}

inline int seeing_isend_init(const void *buf, std::size_t count, MPI_Datatype datatype, int rank, int tag, int mode,
                             MPI_Comm comm, MPI_Request *request) {
  const int rc = original.isend_init(buf, count, datatype, rank, tag, mode, comm, request);
  if (tag < 0 && rc == abi::success && inside::active) {
    initialised_sends.add({*request, count, datatype, rank, tag, comm});
  }
  return rc;
}

[[gnu::noinline]] inline int seeing_any_isend(const void *buf, std::size_t count, MPI_Datatype datatype, int rank,
                                              int tag, int mode, MPI_Comm comm, MPI_Request *request) {
  see(count, datatype, rank, tag, comm);
  return original.isend(buf, count, datatype, rank, tag, mode, comm, request);
}

inline int seeing_isend(const void *buf, std::size_t count, MPI_Datatype datatype, int rank, int tag, int mode,
                        MPI_Comm comm, MPI_Request *request) {
  if (!see_at_once(count, datatype, rank, tag, comm)) [[unlikely]] {
    return seeing_any_isend(buf, count, datatype, rank, tag, mode, comm, request);
  }
  return original.isend(buf, count, datatype, rank, tag, mode, comm, request);
}

[[gnu::noinline]] inline int seeing_any_send(const void *buf, std::size_t count, MPI_Datatype datatype, int rank,
                                             int tag, int mode, MPI_Comm comm) {
  see(count, datatype, rank, tag, comm);
  return original.send(buf, count, datatype, rank, tag, mode, comm);
}

inline int seeing_send(const void *buf, std::size_t count, MPI_Datatype datatype, int rank, int tag, int mode,
                       MPI_Comm comm) {
  if (!see_at_once(count, datatype, rank, tag, comm)) [[unlikely]] {
    return seeing_any_send(buf, count, datatype, rank, tag, mode, comm);
  }
  return original.send(buf, count, datatype, rank, tag, mode, comm);
}

inline int seeing_start(std::size_t count, MPI_Request *requests) {
  if (initialised_sends.used != 0) initialised_sends.start(count, requests);
  return original.start(count, requests);
}

template <class Function>
void swap(int position, Function &kept, Function ours) {
  void *&place = table[position > del_comm ? position + shift : position];
  kept = reinterpret_cast<Function>(place);
  place = reinterpret_cast<void *>(ours);
}

template <class Function>
void restore(int position, Function kept, Function ours) {
  void *&place = table[position > del_comm ? position + shift : position];
  // Another tool may have replaced our entry.
  if (place == reinterpret_cast<void *>(ours)) place = reinterpret_cast<void *>(kept);
}

// --- The hook ---

// The expected content of the table: functions. (Builds with one PML linked in directly do not use it at all, which the
// self-test detects.)
inline bool is_code(const void *address) {
  Dl_info info{};
  return address != nullptr && dladdr(address, &info) != 0;
}

inline bool prepare() {
  table = static_cast<void **>(library::variable("mca_pml"));
  return table != nullptr;
}

// Two messages to ourselves, through each of the two ways of sending.
inline bool test() {
  using TestSend = decltype(&declared::MPI_Send);
  const auto post_receive = reinterpret_cast<decltype(&declared::MPI_Irecv)>(library::function("PMPI_Irecv"));
  const auto post_send = reinterpret_cast<decltype(&declared::MPI_Isend)>(library::function("PMPI_Isend"));
  const auto blocking_send = reinterpret_cast<TestSend>(library::function("PMPI_Send"));
  const auto wait = reinterpret_cast<decltype(&declared::MPI_Wait)>(library::function("PMPI_Wait"));
  auto *const byte = static_cast<MPI_Datatype>(library::variable("ompi_mpi_byte"));
  if (post_receive == nullptr || post_send == nullptr || blocking_send == nullptr || wait == nullptr ||
      byte == nullptr) {
    return false;
  }
  char out[probe_bytes] = {};
  char in[probe_bytes];
  MPI_Request receive{};
  MPI_Request request{};
  probe = {true, 0};
  bool done = true;
  for (int way = 0; way < 2 && done; ++way) {
    done = post_receive(in, probe_bytes, byte, 0, probe_tag, abi::comm_self, &receive) == abi::success;
    if (!done) break;
    if (way == 0) {
      done = blocking_send(out, probe_bytes, byte, 0, probe_tag, abi::comm_self) == abi::success;
    } else {
      done = post_send(out, probe_bytes, byte, 0, probe_tag, abi::comm_self, &request) == abi::success &&
             wait(&request, abi::status_ignore()) == abi::success;
    }
    done = done && wait(&receive, abi::status_ignore()) == abi::success;
  }
  probe.running = false;
  return done && probe.seen == 2;
}

inline void stop() {
  if (original.send == nullptr) return;
  restore(del_comm, original.del_comm, &seeing_del_comm);
  restore(irecv, original.irecv, &seeing_irecv);
  restore(isend_init, original.isend_init, &seeing_isend_init);
  restore(isend, original.isend, &seeing_isend);
  restore(send, original.send, &seeing_send);
  restore(start_requests, original.start, &seeing_start);
  hidden_communicators.drop_all();
}

inline const char *start(const transports::Library & /*library*/) {
  int major = 0;
  if (std::sscanf(counters_file::header()->library, "Open MPI v%d.", &major) != 1 || major < 4 || major > 5) {
    return "the inside of this version of Open MPI is not known";
  }
  shift = major == 5 ? 1 : 0;
  first_tag_of_libnbc = major == 5 ? -34 : -27;  // Open MPI 5 has separate tags for neighbourhood collectives before
                                                 // them
  for (int position = 0; position <= start_requests + shift; ++position) {
    if (position >= del_comm - 1 && !is_code(table[position])) return "Open MPI's table mca_pml holds something else";
  }
  swap(del_comm, original.del_comm, &seeing_del_comm);
  swap(irecv, original.irecv, &seeing_irecv);
  swap(isend_init, original.isend_init, &seeing_isend_init);
  swap(isend, original.isend, &seeing_isend);
  swap(send, original.send, &seeing_send);
  swap(start_requests, original.start, &seeing_start);
  inside::tells_communicators = true;
  return test() ? nullptr : "a test message did not pass Open MPI's table mca_pml";
}

inline constexpr std::uint32_t sees =
    RANKWISE_SEES_BETWEEN_NODES | RANKWISE_SEES_WITHIN_NODE | RANKWISE_SEES_NONBLOCKING;
inline bool in_use() { return true; }

inline constexpr transports::Transport hook = {"openmpi-pml", sees, prepare, in_use, start, stop};

}  // namespace pml

inline constexpr const transports::Transport *own_transports[] = {&pml::hook};
inline constexpr transports::Library own_library = {nullptr};
