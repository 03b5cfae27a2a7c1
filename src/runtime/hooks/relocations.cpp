#include "relocations.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "../builds/builds.h"
#include "../call_sites.h"
#include "../counters_file.h"
#include "../dispatch/copies.h"
#include "../dispatch/dispatch.h"
#include "../dispatch/library.h"
#include "../dispatch/profiling.h"
#include "../lock.h"
#include "../thread.h"
#include "../world_order.h"
#include "empty_completions.h"
#include "imports.h"
#include "loader_calls.h"
#include "loader_functions.h"
#include "references.h"
#include "slot_names.h"

extern "C" {
// longjmp.S
void rankwise_longjmp();
void rankwise_checked_longjmp();
}

namespace rankwise::relocations {
namespace {

using references::Protection;

// The MPI library's addresses of the functions whose relocations are redirected, by slot; [1] under its PMPI_ name.
enum class Has : std::uint8_t { unknown, asked, no, yes };
Has has[2][static_cast<int>(Slot::count)] = {};

void answer() {
  for (int profiling = 0; profiling < 2; ++profiling) {
    for (int slot = 0; slot < static_cast<int>(Slot::count); ++slot) {
      if (has[profiling][slot] != Has::asked) continue;
      char name[128];
      snprintf(name, sizeof name, "%s%s", profiling != 0 ? "P" : "", slot_facts[slot].name);
      has[profiling][slot] = library::function(name) != nullptr ? Has::yes : Has::no;
    }
  }
}

// The objects that have been walked. When it is full, the others are walked every time.
class Walked {
 public:
  // RATIONALE: the loader lists its objects in the same order each time, so the next object is the next entry here. Few
  // pages of memory are touched, because every process does this.
  bool contains(const void *object) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (++latest_ >= used_) latest_ = 0;
      if (objects_[latest_] == object) return true;
    }
    return false;
  }
  bool full() const { return used_ == most; }
  // Adds a new object.
  void add(const void *object) {
    if (!full()) objects_[latest_ = used_++] = object;
  }
  void clear() { used_ = 0; }

 private:
  static constexpr std::size_t most = 1024;

  std::size_t used_ = 0;
  std::size_t latest_ = 0;
  const void *objects_[most] = {};
};

// The loader's counts of added and removed objects.
struct Loads {
  unsigned long long adds = 0;
  unsigned long long subs = 0;
};

// An object about which the loader must be queried, which is impossible while it lists its objects.
struct Unclear {
  dl_phdr_info info;
  char path[4096];
};

struct State {
  Lock lock;
  Loads loads;
  bool mpi = false;  // an MPI library was there
  bool asked = false;
  bool late = false;                                       // redirected references may have been called before
  bool deep = false;                                       // the program has opened objects with RTLD_DEEPBIND
  bool empties = false;                                    // weak references to MPI, on this walk
  std::uint64_t passed_by[RANKWISE_PROCEDURE_WORDS] = {};  // as in the counters file
  Walked walked;
};

// RATIONALE: next to the slots of the stubs (dispatch/stubs.S), on a page that the loader has written to anyway.
[[gnu::section(".data")]] constinit State state{};
Unclear unclear_object;
rankwise_abi abi_for_order = RANKWISE_ABI_NONE;  // with `rankwise run --place`
static_assert(procedure_count <= RANKWISE_PROCEDURE_WORDS * 64);

int read_loads(dl_phdr_info *info, std::size_t /*bytes*/, void *loads) {
  *static_cast<Loads *>(loads) = {info->dlpi_adds, info->dlpi_subs};
  return 1;
}

Loads read_loads() {
  Loads now;
  dl_iterate_phdr(read_loads, &now);
  return now;
}

// One object, and the data needed to redirect its references.
struct Object {
  const dl_phdr_info &info;
  // (Without an MPI library no object is one of these.)
  const bool fortran = state.mpi && info.dlpi_name != nullptr && library::is_fortran_binding(info.dlpi_name);
  const bool is_component = state.mpi && info.dlpi_name != nullptr && library::is_component(info.dlpi_name);
  const bool is_program = info.dlpi_name == nullptr || info.dlpi_name[0] == '\0';

  Protection read_only() const { return Protection(info); }
};

void pass_by(Procedure procedure) {
  const auto number = static_cast<unsigned>(procedure);
  state.passed_by[number / 64] |= std::uint64_t{1} << (number % 64);
}

// Redirects a reference to ours, and reports the calls that it may have led past us by then.
void lead(void **place, void *ours, Procedure procedure, const Object &object) {
  const void *held = __atomic_load_n(place, __ATOMIC_RELAXED);
  if (held == ours) return;
  const bool called = state.late && held != nullptr && !references::lies_in(held, object.info);
  if (!references::set(place, ours, object.read_only()) || called) pass_by(procedure);
}

// The replacement of longjmp and similar functions; nullptr for any other function.
void *jump_stand_in(const char *name) {
  // Every process checks this for each of its references.
  const char *rest = name[0] == 's' && name[1] == 'i' && name[2] == 'g' ? name + 3 : name;
  while (*rest == '_') ++rest;
  if (rest[0] != 'l' || rest[1] != 'o') return nullptr;
  if (strcmp(name, "__longjmp_chk") == 0) return reinterpret_cast<void *>(&rankwise_checked_longjmp);
  for (const char *jump : {"longjmp", "_longjmp", "siglongjmp"}) {
    if (strcmp(name, jump) == 0) return reinterpret_cast<void *>(&rankwise_longjmp);
  }
  return nullptr;
}

const char *path_of(const Object &object) {
  if (!object.is_program) return object.info.dlpi_name;
  static char path[4096];
  if (path[0] == '\0' && readlink("/proc/self/exe", path, sizeof path - 1) < 0) return "the program";
  return path;
}

// Libraries that read the environment for Fortran programs.
bool is_fortran_runtime(const char *path) {
  const char *slash = path != nullptr ? strrchr(path, '/') : nullptr;
  if (slash == nullptr) return false;
  for (const char *prefix : {"libgfortran", "libifcore", "libifport", "libflang", "libFortran", "libnvf"}) {
    if (strncmp(slash + 1, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

// `rankwise run --place`: redirects the references that only a new order of MPI_COMM_WORLD concerns.
bool redirect_for_order(const char *name, void **place, const Object &object) {
  void *ours = nullptr;
  if (object.is_program || is_fortran_runtime(object.info.dlpi_name)) ours = world_order::stand_in(name);
  if (ours == nullptr && state.mpi) ours = builds::fortran_stand_in(abi_for_order, name, object.fortran);
  if (ours != nullptr) references::set(place, ours, object.read_only());
  return ours != nullptr;
}

// Redirects one reference; false if it must wait for an answer of the MPI library.
bool redirect_reference(const char *name, void **place, const Object &object) {
  if (void *ours = loader_calls::stand_in(name); ours != nullptr && !object.fortran) {
    if (!references::set(place, ours, object.read_only())) pass_by(Procedure::none);
    return true;
  }
  if (void *ours = jump_stand_in(name); ours != nullptr) {
    references::set(place, ours, object.read_only());
    return true;
  }
  if (world_order::wanted && redirect_for_order(name, place, object)) return true;
  const bool profiling_name = name[0] == 'P';
  if (!state.mpi || (profiling_name ? object.is_component : name[0] != 'M')) return true;
  const int slot = slot_named(profiling_name ? name + 1 : name);
  const bool is_recorded = slot >= 0 && slot < recorded_slots;
  if (!is_recorded && !profiling_name && !object.fortran && !object.is_component && is_mpi_name(name)) {
    imports::note(name);
  }
  if (slot < 0 || (!profiling_name && slot_facts[slot].exported)) return true;
  Has &answer = has[profiling_name ? 1 : 0][slot];
  if (answer == Has::unknown) answer = Has::asked;
  if (answer == Has::asked) return false;
  // A weak reference to what the library lacks must stay empty.
  if (answer == Has::yes) {
    const auto asked = static_cast<Slot>(slot);
    const bool of_program = profiling_name && !object.fortran;
    const Procedure procedure = slot_facts[slot].procedure;
    if (of_program && is_recorded) profiling::refers(path_of(object), procedure);
    lead(place, of_program ? profiling::symbol(asked) : dispatch::symbol(asked), procedure, object);
  }
  return true;
}

// A function that the loader finds first for all objects, so that only objects opened with RTLD_DEEPBIND find the
// library's own.
bool may_be_bound_past_us(const char *name, const Object &object) {
  if (!state.deep || object.is_program || name[0] != 'M') return false;
  const int slot = slot_named(name);
  return slot >= 0 && slot_facts[slot].exported;
}

bool is_unclear(const char *name, const Object &object) {
  if (!state.mpi) return false;
  return may_be_bound_past_us(name, object) || (!object.fortran && empty_completions::has(name));
}

// Redirects a reference about which the loader must be queried; `handle` belongs to its object.
void clear_up(const char *name, void **place, const Object &object, void *handle) {
  void *held = __atomic_load_n(place, __ATOMIC_RELAXED);
  const bool bound = !references::lies_in(held, object.info);
  if (may_be_bound_past_us(name, object)) {
    const auto slot = static_cast<Slot>(slot_named(name));
    void *ours = dispatch::symbol(slot);
    // An unbound reference may belong to an object opened without RTLD_DEEPBIND, and lead to another tool.
    if (!bound && dlsym(RTLD_DEFAULT, name) != ours) return;
    void *target = bound ? held : dlsym(handle, name);
    if (is_library_s_own(slot, target)) lead(place, ours, slot_facts[static_cast<int>(slot)].procedure, object);
  } else if (empty_completions::has(name)) {
    void *target = bound ? held : dlsym(RTLD_DEFAULT, name);
    if (target == nullptr) target = dlsym(handle, name);
    void *ours = target != nullptr && is_fortran_binding(target) ? empty_completions::stand_in(name, target) : nullptr;
    if (ours != nullptr) references::set(place, ours, object.read_only());
  }
}

void clear_up(const Unclear &unclear) {
  dl_phdr_info info = unclear.info;
  info.dlpi_name = unclear.path;
  const Object object{info};
  void *handle = dlopen(object.is_program ? nullptr : unclear.path, RTLD_LAZY | RTLD_NOLOAD);
  link_map *map = nullptr;
  // Another thread may have closed it, and opened another one.
  const bool same = handle != nullptr && dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&map)) == 0 &&
                    map->l_addr == info.dlpi_addr;
  if (same) {
    references::for_each(info, [&](const char *name, const ElfW(Sym) &, void **place) {
      if (is_unclear(name, object)) clear_up(name, place, object, handle);
    });
  }
  if (handle != nullptr) dlclose(handle);
}

// Any copy of Rankwise: it finds the MPI library's functions itself.
bool is_ours(const dl_phdr_info &info) {
  if (references::lies_in(reinterpret_cast<const void *>(&lead), info)) return true;
  const char *slash = info.dlpi_name != nullptr ? strrchr(info.dlpi_name, '/') : nullptr;
  return slash != nullptr && strncmp(slash + 1, "librankwise", 11) == 0;
}

// Without an MPI library, a weak reference to MPI must stay as empty as it would be without us: libraries that work
// with and without MPI ask it which of the two it is.
void empty_weak_reference(const char *name, const ElfW(Sym) & symbol, void **place, const dl_phdr_info &info) {
  if (ELF64_ST_BIND(symbol.st_info) != STB_WEAK || strncmp(name, "MPI_", 4) != 0) return;
  const int slot = slot_named(name);
  if (slot >= 0 && slot_facts[slot].exported) references::set(place, nullptr, Protection(info));
}

int redirect_object(dl_phdr_info *info, std::size_t /*bytes*/, void * /*unused*/) {
  if (state.walked.contains(info->dlpi_phdr)) return 0;
  const Object object{*info};
  bool done = true;
  bool unclear = false;
  if (!is_ours(*info) && (object.is_program || !library::is_mpi_library(info->dlpi_name))) {
    references::for_each(*info, [&](const char *name, const ElfW(Sym) & symbol, void **place) {
      if (state.empties) empty_weak_reference(name, symbol, place, *info);
      done = redirect_reference(name, place, object) && done;
      unclear = unclear || is_unclear(name, object);
    });
  }
  if (!done) {
    state.asked = true;
    return 0;
  }
  // (Without marking walked objects this would never end.)
  const bool ask = unclear && !state.walked.full();
  state.walked.add(info->dlpi_phdr);
  if (!ask) return 0;
  unclear_object.info = *info;
  snprintf(unclear_object.path, sizeof unclear_object.path, "%s", object.is_program ? "" : info->dlpi_name);
  return 1;
}

// For a process that is not recorded.
int empty_weak_references(dl_phdr_info *info, std::size_t /*bytes*/, void * /*unused*/) {
  references::for_each(*info, [&](const char *name, const ElfW(Sym) & symbol, void **place) {
    empty_weak_reference(name, symbol, place, *info);
  });
  return 0;
}

// A change of the target of all references to one name in the MPI library.
struct Exchange {
  const char *name;
  const void *expected;  // changed if it is the target; nullptr = any target
  void *target;
  int found;
};

int exchange(dl_phdr_info *info, std::size_t /*bytes*/, void *wanted) {
  auto &change = *static_cast<Exchange *>(wanted);
  if (info->dlpi_name == nullptr || !library::is_mpi_library(info->dlpi_name)) return 0;
  const Protection read_only(*info);
  references::for_each(*info, [&](const char *name, const ElfW(Sym) &, void **place) {
    if (strcmp(name, change.name) != 0) return;
    ++change.found;
    if (change.target == nullptr) return;
    const void *held = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (change.expected == nullptr || held == change.expected) {
      references::set(place, change.target, read_only);
    }
  });
  return 0;
}

// For a process with a counters file.
void tell_passed_by() {
  rankwise_header *head = counters_file::header();
  if (head == nullptr) return;
  for (int i = 0; i < RANKWISE_PROCEDURE_WORDS; ++i) head->passed_by[i] = state.passed_by[i];
}

// Under the lock.
void walk(bool mpi) {
  const Loads now = read_loads();
  // Another object may have reused an address; and objects that were walked without MPI were not checked for MPI.
  if (now.subs != state.loads.subs || mpi != state.mpi) state.walked.clear();
  if (now.subs != state.loads.subs) call_sites::forget();
  state.loads = now;
  state.mpi = mpi;
  if (world_order::wanted && mpi) abi_for_order = library::abi();
  do {
    state.asked = false;
    while (dl_iterate_phdr(redirect_object, nullptr) != 0) clear_up(unclear_object);
    if (state.asked) answer();
  } while (state.asked);
}

void redirect(bool late) {
  // Also called from dlsym, from any thread: the second caller doesn't wait.
  if (!state.lock.try_acquire()) return;
  state.late = late;
  walk(state.mpi || library::abi() != RANKWISE_ABI_NONE);
  tell_passed_by();
  profiling::tell();
  imports::tell();
  state.lock.release();
}

// Programs that are linked to an MPI library: before their first call, so that MPI_Init itself is seen. There is no
// counters file yet to report it to.
[[gnu::constructor]] void at_start() {
  const bool may_ask = loader_functions::are_there();
  const bool mpi = may_ask && library::abi() != RANKWISE_ABI_NONE;
  if (!may_ask || !copies::recording_wanted()) {
    if (!mpi) dl_iterate_phdr(empty_weak_references, nullptr);
    return;
  }
  world_order::read_wish();
  if (!state.lock.try_acquire()) return;
  state.empties = !mpi;
  walk(mpi);
  state.empties = false;
  state.lock.release();
}

bool loaded_since() {
  const Loads now = read_loads();
  return now.adds != state.loads.adds || now.subs != state.loads.subs;
}

}  // namespace

void redirect() { redirect(false); }

void redirect_new() {
  if (loaded_since()) redirect(false);
}

void redirect_late() {
  if (loaded_since()) redirect(threads::recording);
}

void expect_deep_binding() { __atomic_store_n(&state.deep, true, __ATOMIC_RELAXED); }

bool is_library_s_own(Slot slot, const void *function) {
  return function != nullptr && function == library::function(slot_facts[static_cast<int>(slot)].name) &&
         function == library::find_next(slot);
}

void *replace(const char *name, void *replacement) {
  Exchange change = {name, nullptr, nullptr, 0};
  dl_iterate_phdr(exchange, &change);
  if (change.found == 0) return nullptr;
  // RATIONALE: not the reference's target, which before its first use may be a stub of the loader's.
  void *original = library::variable(name);
  if (original == nullptr) return nullptr;
  change.target = replacement;
  dl_iterate_phdr(exchange, &change);
  return original;
}

void put_back(const char *name, void *replacement, void *original) {
  Exchange change = {name, replacement, original, 0};
  dl_iterate_phdr(exchange, &change);
}

bool is_fortran_binding(const void *address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr && library::is_fortran_binding(info.dli_fname);
}

}  // namespace rankwise::relocations
