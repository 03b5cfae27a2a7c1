#include "profiling.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "../counters_file.h"
#include "../lock.h"
#include "../thread.h"
#include "dispatch.h"
#include "library.h"

extern "C" {
// Defined in stubs.S, like those in dispatch.cpp: for PMPI_ names, and for what follows our functions.
extern void *rankwise_profiling_slots[];
extern void *const rankwise_profiling_stubs[];
extern void *const rankwise_following_stubs[];
// Called by them; the caller is the return address of the call.
void *rankwise_profiling_call(std::uint64_t slot, const void *caller);
void *rankwise_following_call(std::uint64_t slot, const void *caller);
}

namespace rankwise::profiling {
namespace {

constexpr int slots = static_cast<int>(Slot::count);

// The library's own functions under their PMPI_ names; other tools' functions that follow ours.
void *own_functions[slots] = {};
void *tools_functions[slots] = {};

// The slot + 1 that the thread has called by its PMPI_ name: what follows our function is not another tool's then.
constinit thread_local int past_tools = 0;

// Procedures that have been called in this way, one bit each, and by which objects, as in the counters file.
struct Marked {
  std::uint64_t procedures[RANKWISE_PROCEDURE_WORDS];
  char callers[RANKWISE_MOST_CALLER_BYTES];
};
Marked marked = {};
Lock marking;

void *own_function(int slot) {
  void *&own = own_functions[slot];
  if (void *known = __atomic_load_n(&own, __ATOMIC_RELAXED); known != nullptr) return known;
  char name[128];
  snprintf(name, sizeof name, "P%s", slot_facts[slot].name);
  void *found = library::function(name);
  __atomic_store_n(&own, found, __ATOMIC_RELAXED);
  return found;
}

// Made from inside a wrapper of ours.
bool is_forwarded() {
  const Thread *thread = threads::current;
  return forwarding || (thread != nullptr && thread->inside != nullptr);
}

bool is_marked(unsigned procedure) { return ((marked.procedures[procedure / 64] >> (procedure % 64)) & 1) != 0; }

void add_caller(const void *caller) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return;
  const char *slash = strrchr(info.dli_fname, '/');
  const char *name = slash != nullptr ? slash + 1 : info.dli_fname;
  if (strstr(marked.callers, name) != nullptr) return;
  const std::size_t used = strlen(marked.callers);
  // (A name that is cut off would be another one.)
  if (used + strlen(name) + 3 > sizeof marked.callers) return;
  snprintf(marked.callers + used, sizeof marked.callers - used, "%s%s", used != 0 ? ", " : "", name);
}

void write() {
  rankwise_header *head = counters_file::header();
  if (head == nullptr) return;
  memcpy(head->profiling_names, marked.procedures, sizeof marked.procedures);
  memcpy(head->profiling_callers, marked.callers, sizeof marked.callers);
}

void mark(int slot, const void *caller) {
  const auto procedure = static_cast<unsigned>(slot_facts[slot].procedure);
  const Guard guard(marking);
  if (is_marked(procedure)) return;
  marked.procedures[procedure / 64] |= std::uint64_t{1} << (procedure % 64);
  add_caller(caller);
  write();
}

void *call(int slot, const void *caller) {
  if (dispatch::leads_to_library() || is_forwarded()) return own_function(slot);
  mark(slot, caller);
  void *ours = dispatch::symbol(static_cast<Slot>(slot));
  void *&next = library::next_functions[slot];
  void *following = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (following == nullptr) following = library::find_next(static_cast<Slot>(slot));
  if (following == rankwise_following_stubs[slot]) {
    past_tools = slot + 1;
  } else if (following == library::function(slot_facts[slot].name)) {
    // Nobody stands between us and the library: there is nothing to ask next time.
    __atomic_store_n(&rankwise_profiling_slots[slot], ours, __ATOMIC_RELEASE);
  } else {
    __atomic_store_n(&tools_functions[slot], following, __ATOMIC_RELAXED);
    __atomic_store_n(&next, rankwise_following_stubs[slot], __ATOMIC_RELEASE);
    past_tools = slot + 1;
  }
  return ours;
}

}  // namespace

void *symbol(Slot slot) { return rankwise_profiling_stubs[static_cast<int>(slot)]; }

void tell() {
  const Guard guard(marking);
  write();
}

}  // namespace rankwise::profiling

void *rankwise_profiling_call(std::uint64_t slot, const void *caller) {
  return rankwise::profiling::call(static_cast<int>(slot), caller);
}

void *rankwise_following_call(std::uint64_t slot, const void * /*caller*/) {
  using namespace rankwise::profiling;
  const int number = static_cast<int>(slot);
  const bool past = past_tools == number + 1;
  past_tools = 0;
  return past ? own_function(number) : __atomic_load_n(&tools_functions[number], __ATOMIC_RELAXED);
}
