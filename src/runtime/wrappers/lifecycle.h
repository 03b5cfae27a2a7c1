// The owners that keep MPI initialised: the world (MPI_Init), sessions, or both. Included inside the namespace of a
// build.
//
// Recording begins with the first and ends with the last; a program may begin again. MPI_COMM_WORLD is never used while
// only sessions are open: that would be erroneous.

namespace lifecycle {

// An owner that opens MPI: the world, or a session.
struct Opener {
  bool is_world = false;
  MPI_Session session{};

  bool operator==(const Opener &other) const {
    return is_world == other.is_world && (is_world || session == other.session);
  }
};

inline Opener world() { return {true, {}}; }

enum class Opened { not_recorded, first, further };

namespace state {

struct Open {
  Opener opener;
  bool closing = false;
  Open *next = nullptr;
};

// Sessions may be opened and finalised by several threads at once. Not held while MPI opens or closes.
inline Lock lock;
inline Open *open = nullptr;
inline bool world_is_open = false;
inline bool started = false;  // for the first time
inline bool given_up = false;
inline Opener group_from;  // the owner from which we have the world's group

inline void forget_world_group() {
  const Guard guard(world_group.lock);
  if (world_group.known) queries.Group_free(&world_group.handle);
  world_group.known = false;
}

inline bool group_of(const Opener &opener, MPI_Group *group) {
  if (opener.is_world) return queries.Comm_group(world::communicator(), group) == abi::success;
  using FromPset = decltype(&declared::MPI_Group_from_session_pset);
  static const auto from_pset = reinterpret_cast<FromPset>(library::function("PMPI_Group_from_session_pset"));
  return from_pset != nullptr && from_pset(opener.session, "mpi://WORLD", group) == abi::success;
}

// A local call returns the group: of MPI_COMM_WORLD, or of the process set that every session has.
inline void learn_world_group() {
  if (world_group.known) return;
  for (const Open *one = open; one != nullptr; one = one->next) {
    MPI_Group group{};
    if (one->closing || !group_of(one->opener, &group)) continue;
    const Guard guard(world_group.lock);
    world_group.handle = group;
    world_group.known = true;
    group_from = one->opener;
    return;
  }
}

inline bool add(const Opener &opener) {
  void *memory = std::malloc(sizeof(Open));
  if (memory == nullptr) return false;
  open = new (memory) Open{opener, false, open};
  if (opener.is_world) world_is_open = true;
  return true;
}

inline Open *find(const Opener &opener) {
  Open *one = open;
  while (one != nullptr && !(one->opener == opener)) one = one->next;
  return one;
}

inline void remove(const Opener &opener) {
  for (Open **place = &open; *place != nullptr; place = &(*place)->next) {
    if (!((*place)->opener == opener)) continue;
    Open *removed = *place;
    *place = removed->next;
    std::free(removed);
    break;
  }
  if (opener.is_world) world_is_open = false;
}

// The other owners that keep MPI open.
inline bool others_open() {
  for (const Open *one = open; one != nullptr; one = one->next) {
    if (!one->closing) return true;
  }
  return false;
}

inline void switch_off() {
  given_up = true;
  transports::stop();
  process::switch_off();
  dispatch::to_library();
}

// False if the library lacks something we need.
inline bool start(const Opener &opener) {
  if (!queries.find()) {
    say_once("this MPI library lacks functions that every MPI 3.1 library has: nothing is recorded");
    return false;
  }
  static char version[abi::library_version_bytes];
  int length = 0;
  queries.Get_library_version(version, &length);
  abi::find_constants(version);
  learn_world_group();
  int rank = launcher::rank();
  int size = launcher::size();
  if (world_group.known) {
    queries.Group_rank(world_group.handle, &rank);
    queries.Group_size(world_group.handle, &size);
  }
  process::start({rank, size, opener.is_world ? thread_level() : -1, version});
  relocations::redirect();
  started = true;
  return true;
}

}  // namespace state

inline bool world_open() { return state::world_is_open; }

// Before MPI opens for the first time: false, and calls bypass us from now on, if nothing can be recorded.
inline bool load() {
  const Guard guard(state::lock);
  if (state::given_up) return false;
  if (counters_file::header() != nullptr || process::load(builds::RANKWISE_BUILD_ABI)) {
    static_assert(std::size(own_transports) <= transports::most);
    transports::prepare(own_transports, std::size(own_transports));
    return true;
  }
  state::given_up = true;
  dispatch::to_library();
  return false;
}

// MPI_Init has failed: there will be no world.
inline void give_up() {
  const Guard guard(state::lock);
  if (state::started || state::given_up) return;
  state::given_up = true;
  process::given_up();
  dispatch::to_library();
}

// An owner has opened MPI.
inline Opened open(const Opener &opener) {
  const Guard guard(state::lock);
  if (state::given_up) return Opened::not_recorded;
  // Every session may be used by any thread, regardless of MPI_Init's thread level.
  if (!opener.is_world) threads::several = true;
  const bool started_before = state::started;
  if (!state::add(opener) || (!started_before && !state::start(opener))) {
    state::switch_off();
    return Opened::not_recorded;
  }
  if (started_before && !threads::recording) process::start_again();
  state::learn_world_group();
  if (opener.is_world) {
    if (started_before) process::set_thread_level(thread_level());
    construction::add_world();
    transports::start(own_library);
  }
  threads::recording = true;
  return started_before ? Opened::further : Opened::first;
}

// An owner is about to be closed. Groups that came from it must be freed before.
inline void closing(const Opener &opener) {
  const Guard guard(state::lock);
  state::Open *found = state::find(opener);
  if (found == nullptr) return;
  found->closing = true;
  relocations::redirect_late();
  if (state::group_from == opener) state::forget_world_group();
  if (opener.is_world) {
    transports::stop();
    world_group.closing = true;
  }
  if (state::others_open()) {
    state::learn_world_group();
  } else {
    process::stopping();
  }
}

// It has been closed, unless `rc` is an error.
inline void closed(const Opener &opener, int rc) {
  const Guard guard(state::lock);
  state::Open *found = state::find(opener);
  if (found == nullptr) return;
  const bool stopping = !state::others_open();
  if (rc != abi::success && !opener.is_world) {
    found->closing = false;
    if (stopping) process::start_again();
    state::learn_world_group();
    return;
  }
  state::remove(opener);
  if (opener.is_world) world_group.closing = false;
  if (state::open != nullptr) return;
  threads::recording = false;
  communicators::table.drop_all();
  process::stopped();
}

}  // namespace lifecycle
