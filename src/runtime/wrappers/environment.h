// The wrappers that no rule can express: start and end of MPI, MPI_Abort, MPI_Pcontrol. Included inside the
// namespace of a build.

// world_order.h
void change_world_order();

namespace environment {

inline void book(Procedure procedure, std::uint64_t ticks) {
  Thread *thread = threads::enter();
  if (thread == nullptr) return;
  booking::add_call(booking::row(*thread, keys::calls(procedure, RANKWISE_COMMUNICATOR_NONE, regions::current)), ticks);
  thread->inside = nullptr;
}

// Processor time of a scope's own work: without the time of other processes and of MPI.
class OwnTime {
 public:
  std::uint64_t ns() const { return spent_ + (now() - since_); }
  template <class Next>
  auto without(Next next) {
    spent_ = ns();
    const auto result = next();
    since_ = now();
    return result;
  }

 private:
  static std::uint64_t now() { return static_cast<std::uint64_t>(clock::nanoseconds(CLOCK_THREAD_CPUTIME_ID)); }
  std::uint64_t spent_ = 0;
  std::uint64_t since_ = now();
};

// Measures the cost of booking a call, for the profile and for times of polls.
inline void measure_own_cost() {
  const rankwise_stamp first = clock::stamp();
  const std::uint64_t frequent = own_cost_of_frequent(lifecycle::world_open());
  const std::uint64_t other = own_cost(lifecycle::world_open());
  const rankwise_stamp last = clock::stamp();
  process::set_call_costs(frequent, other);
  const auto microseconds = static_cast<std::uint64_t>(last.monotonic_ns - first.monotonic_ns) / 1000;
  Polls::measured(frequent / 1000, clock::elapsed(first.ticks, last.ticks) / std::max<std::uint64_t>(microseconds, 1));
}

// Forwards a call that opens MPI: MPI_Init or MPI_Session_init. After its success, `opener` identifies it.
template <class Next, class Opener>
int open(Procedure procedure, Next next, Opener opener) {
  OwnTime own;
  if (!lifecycle::load()) return next();
  const std::uint64_t before = clock::ticks();
  const int rc = own.without([&] {
    const profiling::Forwarding scope;
    return next();
  });
  const std::uint64_t after = clock::ticks();
  if (rc != abi::success) return rc;
  const lifecycle::Opened opened = lifecycle::open(opener());
  if (opened == lifecycle::Opened::not_recorded) return rc;
  if (opened == lifecycle::Opened::first) measure_own_cost();
  book(procedure, clock::elapsed(before, after));
  process::add_setup_cost(own.ns());
  return rc;
}

template <class Next>
int initialise(Procedure procedure, Next next) {
  if (lifecycle::world_open()) return next();  // MPI_Init twice: MPI's own error
  const int rc = open(
      procedure,
      [&] {
        const int opened = next();
        if (opened != abi::success) return opened;
        change_world_order();
        node_clocks::at_start();
        return opened;
      },
      lifecycle::world);
  if (rc != abi::success) lifecycle::give_up();
  return rc;
}

// Forwards a call that closes MPI: MPI_Finalize or MPI_Session_finalize.
template <class Next>
int close(Procedure procedure, const lifecycle::Opener &opener, Next next) {
  OwnTime own;
  Thread *thread = threads::enter();
  if (thread == nullptr) {
    if (opener == lifecycle::world()) node_clocks::at_stop();
    return next();
  }
  lifecycle::closing(opener);
  thread->record->inside_key = keys::calls(procedure, RANKWISE_COMMUNICATOR_NONE, regions::current);
  const std::uint64_t before = clock::ticks();
  thread->record->inside_since = before;
  const int rc = own.without([&] {
    if (opener == lifecycle::world()) node_clocks::at_stop();
    return next();
  });
  const std::uint64_t after = clock::ticks();
  thread->record->inside_key = 0;
  const std::uint64_t start = callbacks::ended(*thread, before, after);
  thread->inside = nullptr;
  book(procedure, clock::elapsed(start, after));
  process::add_finish_cost(own.ns() + Polls::take_reading_ns());
  lifecycle::closed(opener, rc);
  return rc;
}

// The name that was passed to MPI_Pcontrol after the level, or nullptr.
//
// RATIONALE: in C a function can't know whether the argument was passed; otherwise its register is undefined. So the
// name must be readable memory, short, printable, and not one of the program's own command line arguments (the
// likeliest text that a register still points to). A caller inside a Fortran binding never passes one.
inline const char *region_name(const void *argument, const void *caller, char (&name)[64]) {
  if (!memory::is_of_program(caller) && relocations::is_fortran_binding(caller)) return nullptr;
  return memory::read_text(argument, name, sizeof name) ? name : nullptr;
}

}  // namespace environment

int MPI_Init(int *argc, char ***argv) {
  const auto next = library::next<decltype(&MPI_Init)>(Slot::MPI_Init);
  return environment::initialise(Procedure::MPI_Init, [&] { return next(argc, argv); });
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const auto next = library::next<decltype(&MPI_Init_thread)>(Slot::MPI_Init_thread);
  return environment::initialise(Procedure::MPI_Init_thread, [&] { return next(argc, argv, required, provided); });
}

int MPI_Finalize() {
  const auto next = library::next<decltype(&MPI_Finalize)>(Slot::MPI_Finalize);
  return environment::close(Procedure::MPI_Finalize, lifecycle::world(), next);
}

int MPI_Abort(MPI_Comm comm, int errorcode) {
  const auto next = library::next<decltype(&MPI_Abort)>(Slot::MPI_Abort);
  if (threads::recording) process::aborting(errorcode);
  const profiling::Forwarding scope;
  return next(comm, errorcode);
}

// The further arguments of MPI_Pcontrol, according to the calling convention: integers and pointers in registers, reals
// in others, and the rest on the stack.
//
// RATIONALE: their number is unknown, so all places that may have one are passed on, and as much of the stack as exists
// above any call.
struct Following {
#if defined(__x86_64__)
  static constexpr std::size_t integer_registers = 5;
#else
  static constexpr std::size_t integer_registers = 7;
#endif
  static constexpr std::size_t real_registers = 8;
  static constexpr std::size_t stack_words = 8;
  void *integers[integer_registers];
  double reals[real_registers];
  void *stack[stack_words];

  template <std::size_t... i, std::size_t... r, std::size_t... s>
  int pass(int (*next)(const int, ...), int level, std::index_sequence<i...>, std::index_sequence<r...>,
           std::index_sequence<s...>) const {
    return next(level, integers[i]..., reals[r]..., stack[s]...);
  }
  int pass(int (*next)(const int, ...), int level) const {
    return pass(next, level, std::make_index_sequence<integer_registers>(), std::make_index_sequence<real_registers>(),
                std::make_index_sequence<stack_words>());
  }
};

// Clears a region's name from the place where the next call without a name would find it.
static inline void forget_argument() {
#if defined(__x86_64__)
  asm volatile("xorl %%esi, %%esi" ::: "rsi");
#elif defined(__aarch64__)
  asm volatile("mov x1, xzr" ::: "x1");
#endif
}

// Level 0 pauses, 1 resumes; 1 with a name enters a region and -1 leaves it, as in IPM.
int MPI_Pcontrol(const int level, ...) {
  const auto next = library::next<int (*)(const int, ...)>(Slot::MPI_Pcontrol);
  va_list arguments;
  va_start(arguments, level);
  Following following;
  for (void *&integer : following.integers) integer = va_arg(arguments, void *);
  for (double &real : following.reals) real = va_arg(arguments, double);
  for (void *&word : following.stack) word = va_arg(arguments, void *);
  va_end(arguments);
  if (threads::recording && (level == 1 || level == -1)) {
    char name[64];
    const char *region = environment::region_name(following.integers[0], __builtin_return_address(0), name);
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
  const profiling::Forwarding scope;
  const int rc = following.pass(next, level);
  forget_argument();
  return rc;
}
