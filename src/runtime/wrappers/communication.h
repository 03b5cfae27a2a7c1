// Rankwise's own communication between the processes of the program, through PMPI names. Included inside the namespace
// of a build.

// Their wrappers (generated/), for calls in the program's name.
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status);

namespace own {

template <class Comm>
Comm as(Handle handle) {
  if constexpr (std::is_pointer_v<Comm>) {
    return reinterpret_cast<Comm>(handle);
  } else {
    return static_cast<Comm>(handle);  // the upper half of a register is undefined
  }
}
inline MPI_Comm communicator_of(Handle handle) { return world::in_order(as<MPI_Comm>(handle)); }

// A scope in which the thread's MPI calls are not the program's.
class Ours {
 public:
  [[gnu::always_inline]] Ours() : thread_(threads::current != nullptr ? threads::current : threads::attach()) {
    if (thread_ == nullptr) return;
    inside_ = thread_->inside;
    own_traffic_ = thread_->own_traffic;
    if (inside_ == nullptr) thread_->inside = leaving::frame();
    thread_->own_traffic = true;
  }
  ~Ours() {
    if (thread_ == nullptr) return;
    thread_->inside = inside_;
    thread_->own_traffic = own_traffic_;
  }
  Ours(const Ours &) = delete;
  Ours &operator=(const Ours &) = delete;

 private:
  Thread *thread_;
  const void *inside_ = nullptr;
  bool own_traffic_ = false;
};

template <class Function, class... Arguments>
bool ask(const char *name, Arguments... arguments) {
  const auto function = reinterpret_cast<Function>(library::function(name));
  if (function == nullptr) return false;
  const Ours ours;
  return function(arguments...) == abi::success;
}
#define RANKWISE_ASK(name, ...) own::ask<decltype(&declared::MPI_##name)>("PMPI_" #name, __VA_ARGS__)

inline Handle from_fortran(int comm) {
  // In MPICH and its derivatives both are the same number, and there is only a macro.
  const auto convert = reinterpret_cast<MPI_Comm (*)(int)>(library::function("PMPI_Comm_f2c"));
  if (convert != nullptr) return abi::bits(convert(comm));
  return static_cast<Handle>(static_cast<unsigned>(comm));
}

inline Handle datatype_from_fortran(int datatype) {
  const auto convert = reinterpret_cast<MPI_Datatype (*)(int)>(library::function("PMPI_Type_f2c"));
  if (convert != nullptr) return abi::bits(convert(datatype));
  return static_cast<Handle>(static_cast<unsigned>(datatype));
}

inline int to_fortran(Handle handle) {
  const auto convert = reinterpret_cast<int (*)(MPI_Comm)>(library::function("PMPI_Comm_c2f"));
  return convert != nullptr ? convert(communicator_of(handle)) : static_cast<int>(handle);
}

inline Handle none() { return abi::bits(abi::comm_null); }

inline void put(Handle handle, void *place) { *static_cast<MPI_Comm *>(place) = communicator_of(handle); }

inline int thread_level() {
  int level = 0;
  queries.Query_thread(&level);
  return level;
}

inline bool processes(Handle handle, Processes *found) {
  const MPI_Comm comm = communicator_of(handle);
  const Ours ours;
  if (comm == abi::comm_null || construction::is_inter(comm)) return false;
  if (queries.Comm_rank(comm, &found->rank) != abi::success) return false;
  if (queries.Comm_size(comm, &found->size) != abi::success) return false;
  found->world_ranks = Group(comm, Group::Side::local).world_ranks();
  return found->world_ranks != nullptr;
}

inline int *ranks_in(Handle handle, Handle other) {
  const Ours ours;
  const Group group(communicator_of(handle), Group::Side::local);
  const Group others(communicator_of(other), Group::Side::local);
  return group.ranks_in(others.handle(), group.size());
}

inline communicators::Communicator *known(Handle handle) {
  const MPI_Comm comm = communicator_of(handle);
  if (comm == abi::comm_null) return nullptr;
  communicators::Communicator *found = communicators::table.find(abi::bits(comm));
  if (found != nullptr) return found;
  const Ours ours;
  return construction::add_found(comm);
}

inline bool duplicate(Handle comm, Handle *copy) {
  MPI_Comm made = abi::comm_null;
  if (!RANKWISE_ASK(Comm_dup, communicator_of(comm), &made)) return false;
  *copy = abi::bits(made);
  return made != abi::comm_null;
}

inline void free(Handle copy) {
  MPI_Comm comm = communicator_of(copy);
  static_cast<void>(RANKWISE_ASK(Comm_free, &comm));
}

// Counts of a message, which are `int`, in the largest unit that divides its bytes.
struct Words {
  int count;
  bool fit;
  explicit Words(std::size_t bytes) : count(static_cast<int>(bytes)), fit(bytes <= 0x7FFFFFFF) {}
};

inline bool all_gather(Handle copy, const void *own, std::size_t bytes, void *all) {
  const Words words(bytes);
  return words.fit &&
         RANKWISE_ASK(Allgather, own, words.count, abi::byte, all, words.count, abi::byte, communicator_of(copy));
}

inline bool all_gather_varying(Handle copy, const void *own, int bytes, void *all, const int *counts,
                               const int *places) {
  return RANKWISE_ASK(Allgatherv, own, bytes, abi::byte, all, counts, places, abi::byte, communicator_of(copy));
}

inline bool gather(Handle copy, int root, const void *own, std::size_t bytes, void *all) {
  const Words words(bytes);
  return words.fit &&
         RANKWISE_ASK(Gather, own, words.count, abi::byte, all, words.count, abi::byte, root, communicator_of(copy));
}

// A datatype of so many bytes, for the duration of a call: counts of large records fit into an `int`.
class Record {
 public:
  explicit Record(std::size_t bytes) {
    const Words words(bytes);
    made_ = words.fit && RANKWISE_ASK(Type_contiguous, words.count, abi::byte, &type_);
    usable_ = made_ && RANKWISE_ASK(Type_commit, &type_);
  }
  ~Record() {
    if (made_) static_cast<void>(RANKWISE_ASK(Type_free, &type_));
  }
  Record(const Record &) = delete;
  Record &operator=(const Record &) = delete;

  bool usable() const { return usable_; }
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_{};
  bool made_ = false;
  bool usable_ = false;
};

inline bool gather_records(Handle copy, int root, std::size_t bytes, const void *own, int count, void *all,
                           const int *counts, const int *places) {
  const Record record(bytes);
  return record.usable() && RANKWISE_ASK(Gatherv, own, count, record.type(), all, counts, places, record.type(), root,
                                         communicator_of(copy));
}

inline bool broadcast(Handle copy, int root, void *data, std::size_t bytes) {
  const Words words(bytes);
  return words.fit && RANKWISE_ASK(Bcast, data, words.count, abi::byte, root, communicator_of(copy));
}

inline bool swap(Handle copy, int partner, const void *sent, void *received, std::size_t bytes) {
  const Words words(bytes);
  return words.fit && RANKWISE_ASK(Sendrecv, sent, words.count, abi::byte, partner, 0, received, words.count, abi::byte,
                                   partner, 0, communicator_of(copy), abi::status_ignore());
}

inline bool copy(Handle comm, const Exchange &own) {
  const auto datatype = as<MPI_Datatype>(own.datatype);
  return RANKWISE_ASK(Sendrecv, own.send, own.send_count, datatype, own.to, own.tag, own.receive, own.receive_count,
                      datatype, own.from, own.tag, communicator_of(comm), abi::status_ignore());
}

// --- In the program's name: through the wrappers ---

inline bool split(Handle comm, int color, int key, Handle *made) {
  MPI_Comm handle = abi::comm_null;
  if (MPI_Comm_split(communicator_of(comm), color, key, &handle) != abi::success) return false;
  *made = abi::bits(handle);
  return handle != abi::comm_null;
}

inline bool exchange(Handle comm, const Exchange &one) {
  const auto datatype = as<MPI_Datatype>(one.datatype);
  return MPI_Sendrecv(one.send, one.send_count, datatype, one.to, one.tag, one.receive, one.receive_count, datatype,
                      one.from, one.tag, communicator_of(comm), abi::status_ignore()) == abi::success;
}

// --- Attributes of communicators ---

using CopyAttribute = int(MPI_Comm, int, void *, void *, void *, int *);
using DeleteAttribute = int(MPI_Comm, int, void *, void *);

// A duplicate by the program is another communicator.
inline int copy_nothing(MPI_Comm, int, void *, void *, void *, int *copied) {
  *copied = 0;
  return abi::success;
}

inline void (*on_detached)(void *) = nullptr;

inline int hand_back(MPI_Comm, int, void *value, void *) {
  on_detached(value);
  return abi::success;
}

inline int keyval = -1;

inline bool make_keyval() {
  using Create = int (*)(CopyAttribute *, DeleteAttribute *, int *, void *);
  static Lock making;
  const Guard guard(making);
  return keyval != -1 || ask<Create>("PMPI_Comm_create_keyval", &copy_nothing, &hand_back, &keyval, nullptr);
}

inline void *attached(Handle comm) {
  using Get = int (*)(MPI_Comm, int, void *, int *);  // `value` is the address of a pointer
  void *value = nullptr;
  int found = 0;
  if (keyval == -1 || communicator_of(comm) == abi::comm_null) return nullptr;
  const bool answered =
      ask<Get>("PMPI_Comm_get_attr", communicator_of(comm), keyval, static_cast<void *>(&value), &found);
  return answered && found != 0 ? value : nullptr;
}

inline bool attach(Handle comm, void *value, void (*detached)(void *)) {
  using Set = int (*)(MPI_Comm, int, void *);
  on_detached = detached;
  return make_keyval() && ask<Set>("PMPI_Comm_set_attr", communicator_of(comm), keyval, value);
}

inline void detach(Handle comm) {
  using Delete = int (*)(MPI_Comm, int);
  ask<Delete>("PMPI_Comm_delete_attr", communicator_of(comm), keyval);
}

}  // namespace own

const Communication *communication() {
  namespace here = own;
  static constexpr Communication all = {
      .from_fortran = here::from_fortran,
      .datatype_from_fortran = here::datatype_from_fortran,
      .to_fortran = here::to_fortran,
      .none = here::none,
      .put = here::put,
      .thread_level = here::thread_level,
      .processes = here::processes,
      .ranks_in = here::ranks_in,
      .known = here::known,
      .duplicate = here::duplicate,
      .free = here::free,
      .all_gather = here::all_gather,
      .all_gather_varying = here::all_gather_varying,
      .gather = here::gather,
      .gather_records = here::gather_records,
      .broadcast = here::broadcast,
      .swap = here::swap,
      .split = here::split,
      .exchange = here::exchange,
      .copy = here::copy,
      .attached = here::attached,
      .attach = here::attach,
      .detach = here::detach,
  };
  return &all;
}
