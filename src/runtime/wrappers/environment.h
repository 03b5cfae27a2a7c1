// The wrappers that are more than a rule: start and end of MPI, MPI_Abort, MPI_Pcontrol. Included inside the
// namespace of a build.

namespace environment {

// Measures what booking one call costs, on a row that is cleared afterwards.
inline void measure_own_cost() {
  constexpr int batches = 8;
  constexpr int calls = 256;
  std::uint64_t best = ~0ULL;
  for (int b = 0; b < batches; ++b) {
    const std::uint64_t begin = clock::ticks();
    for (int i = 0; i < calls; ++i) {
      Call call(Procedure::none);
      if (call.nested()) return;
      call.on(abi::comm_world);
      call.start();
      call.stop(abi::success);
      call.contributed(1, 1);
      call.book();
    }
    const std::uint64_t ticks = clock::elapsed(begin, clock::ticks());
    if (ticks < best) best = ticks;
  }
  process::set_call_cost(best * 1000U / calls);
  Thread *thread = threads::enter();
  communicators::Communicator *world =
      communicators::table.find(thread->communicator_cache, abi::bits(abi::comm_world));
  const std::uint64_t key = keys::calls(Procedure::none, world != nullptr ? world->index : 0, regions::current);
  rankwise_calls &row = booking::row(*thread, keys::with_bin(key, keys::bin(1)));
  row.calls = row.bytes_sent = row.ticks = row.min_ticks = row.max_ticks = 0;
  thread->inside = false;
}

inline void book(Procedure procedure, std::uint64_t ticks) {
  Thread *thread = threads::enter();
  if (thread == nullptr) return;
  booking::add_call(booking::row(*thread, keys::calls(procedure, RANKWISE_COMMUNICATOR_NONE, regions::current)), ticks);
  thread->inside = false;
}

// MPI_Init has succeeded: learns the world and starts recording. False if the library lacks something we need.
inline bool begin() {
  abi::find_constants();
  if (!queries.find()) {
    say_once("this MPI library lacks functions that every MPI 3.1 library has: nothing is recorded");
    return false;
  }
  int rank = 0;
  int size = 0;
  int provided = -1;
  int level = -1;
  int length = 0;
  static char version[abi::library_version_bytes];
  queries.Comm_rank(abi::comm_world, &rank);
  queries.Comm_size(abi::comm_world, &size);
  queries.Comm_group(abi::comm_world, &world_group);
  queries.Get_library_version(version, &length);
  queries.Query_thread(&provided);
  for (int i = 0; i < 4; ++i) {
    if (abi::thread_levels[i] == provided) level = i;
  }
  process::start({rank, size, level, version});
  construction::add_world();
  relocations::redirect();
  threads::recording = true;
  return true;
}

template <class Next>
int initialise(Procedure procedure, Next next) {
  const std::uint64_t entered = clock::ticks();
  if (counters_file::header() != nullptr) return next();  // MPI_Init twice: MPI's own error
  if (!process::load(builds::RANKWISE_BUILD_ABI)) {
    dispatch::to_library();
    return next();
  }
  const std::uint64_t before = clock::ticks();
  const int rc = next();
  const std::uint64_t after = clock::ticks();
  if (rc != abi::success || !begin()) {
    if (rc == abi::success) process::switch_off();
    dispatch::to_library();
    return rc;
  }
  measure_own_cost();
  book(procedure, clock::elapsed(before, after));
  process::add_setup_cost(clock::elapsed(entered, before) + clock::elapsed(after, clock::ticks()));
  return rc;
}

// The name that MPI_Pcontrol was given after the level, or nullptr.
//
// RATIONALE: C has no way to tell whether the argument is there; what its register holds otherwise is anything. So
// the name must be readable memory, short, printable, and not one of the program's own command line arguments (the
// likeliest text that a register still points to). A caller inside a Fortran binding never passes one.
inline const char *region_name(const void *argument, const void *caller, char (&name)[64]) {
  return relocations::is_fortran_binding(caller) || !memory::read_text(argument, name, sizeof name) ? nullptr : name;
}

}  // namespace environment

static int MPI_Init(int *argc, char ***argv) {
  const auto next = library::next<decltype(&MPI_Init)>(Slot::MPI_Init);
  return environment::initialise(Procedure::MPI_Init, [&] { return next(argc, argv); });
}

static int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const auto next = library::next<decltype(&MPI_Init_thread)>(Slot::MPI_Init_thread);
  return environment::initialise(Procedure::MPI_Init_thread, [&] { return next(argc, argv, required, provided); });
}

static int MPI_Finalize() {
  const auto next = library::next<decltype(&MPI_Finalize)>(Slot::MPI_Finalize);
  const std::uint64_t entered = clock::ticks();
  Thread *thread = threads::enter();
  if (thread == nullptr) return next();
  queries.Group_free(&world_group);
  process::stopping();
  thread->record->inside_key = keys::calls(Procedure::MPI_Finalize, RANKWISE_COMMUNICATOR_NONE, regions::current);
  const std::uint64_t before = clock::ticks();
  thread->record->inside_since = before;
  const int rc = next();
  const std::uint64_t after = clock::ticks();
  thread->record->inside_key = 0;
  thread->inside = false;
  environment::book(Procedure::MPI_Finalize, clock::elapsed(before, after));
  threads::recording = false;
  process::add_finish_cost(clock::elapsed(entered, before) + clock::elapsed(after, clock::ticks()));
  process::stopped();
  return rc;
}

static int MPI_Abort(MPI_Comm comm, int errorcode) {
  const auto next = library::next<decltype(&MPI_Abort)>(Slot::MPI_Abort);
  if (threads::recording) process::aborting(errorcode);
  return next(comm, errorcode);
}

// Leaves nothing of a region's name where the next call without one would find it.
static inline void forget_argument() {
#if defined(__x86_64__)
  asm volatile("xorl %%esi, %%esi" ::: "rsi");
#elif defined(__aarch64__)
  asm volatile("mov x1, xzr" ::: "x1");
#endif
}

// Level 0 pauses, 1 resumes; 1 with a name enters a region and -1 leaves it, as in IPM.
static int MPI_Pcontrol(const int level, ...) {
  const auto next = library::next<int (*)(const int, ...)>(Slot::MPI_Pcontrol);
  va_list arguments;
  va_start(arguments, level);
  const void *argument = va_arg(arguments, const void *);
  va_end(arguments);
  if (threads::recording && (level == 1 || level == -1)) {
    char name[64];
    const char *region = environment::region_name(argument, __builtin_return_address(0), name);
    if (level == -1) {
      regions::leave(region);
    } else if (process::paused) {
      process::resume();
    } else if (region != nullptr) {
      regions::enter(region);
    }
  } else if (threads::recording && level == 0) {
    process::pause();
  }
  const int rc = next(level, argument);
  forget_argument();
  return rc;
}
