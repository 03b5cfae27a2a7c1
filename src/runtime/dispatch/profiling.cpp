#include "profiling.h"

#include <cstdio>
#include <cstring>

#include "../counters_file.h"
#include "../lock.h"
#include "../thread.h"
#include "../world_order.h"
#include "dispatch.h"
#include "library.h"
#include "stub_tables.h"

extern "C" {
// Defined in stubs.S, like those in dispatch.cpp: for PMPI_ names, and for the functions after ours.
extern void *rankwise_profiling_slots[];
extern const rankwise::stubs::Distance rankwise_profiling_stubs[];
extern const rankwise::stubs::Distance rankwise_profiling_jump;
extern const rankwise::stubs::Distance rankwise_following_stubs[];
// Called by them.
void *rankwise_profiling_call(std::uint64_t slot, std::uintptr_t return_address);
void *rankwise_following_call(std::uint64_t slot);
}

namespace rankwise::profiling {
namespace {

constexpr int slots = static_cast<int>(Slot::count);

// The library's own functions under their PMPI_ names; other tools' functions that follow ours.
void *own_functions[slots] = {};
void *tools_functions[slots] = {};

// The slot + 1 that the thread has called by its PMPI_ name: then the function after ours is not another tool's.
constinit thread_local int past_tools = 0;

using Procedures = std::uint64_t[RANKWISE_PROCEDURE_WORDS];  // one bit each

// The objects that refer to PMPI_ names, as many as fit.
//
// RATIONALE: a tool may end its wrapper with a jump, so the return address of its call can be the program's.
struct Referrer {
  char name[64];
  Procedures procedures;
};
constexpr int most_referrers = 8;
Referrer referrers[most_referrers] = {};
int referrer_count = 0;

// The procedures that were called in this way, and the calling objects, as in the counters file.
struct Marked {
  Procedures procedures;
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

// Made from inside one of our wrappers, and not by a callback of the program. (The wrapper determines the caller if a
// tool has several.)
bool is_forwarded(std::uintptr_t return_address) {
  Thread *thread = threads::current;
  if (forwarding || thread == nullptr || thread->inside == nullptr) return forwarding;
  return !callbacks::may_be_program(*thread, return_address);
}

bool is_in(const Procedures &procedures, unsigned procedure) {
  return ((procedures[procedure / 64] >> (procedure % 64)) & 1) != 0;
}

void add(Procedures &procedures, unsigned procedure) {
  procedures[procedure / 64] |= std::uint64_t{1} << (procedure % 64);
}

void add_caller(const char *name) {
  if (strstr(marked.callers, name) != nullptr) return;
  const std::size_t used = strlen(marked.callers);
  // (A truncated name would be another one.)
  if (used + strlen(name) + 3 > sizeof marked.callers) return;
  snprintf(marked.callers + used, sizeof marked.callers - used, "%s%s", used != 0 ? ", " : "", name);
}

void write() {
  rankwise_header *head = counters_file::header();
  if (head == nullptr) return;
  memcpy(head->profiling_names, marked.procedures, sizeof marked.procedures);
  memcpy(head->profiling_callers, marked.callers, sizeof marked.callers);
}

void mark(int slot) {
  const auto procedure = static_cast<unsigned>(slot_facts[slot].procedure);
  const Guard guard(marking);
  if (is_in(marked.procedures, procedure)) return;
  add(marked.procedures, procedure);
  for (int i = 0; i < referrer_count; ++i) {
    if (is_in(referrers[i].procedures, procedure)) add_caller(referrers[i].name);
  }
  write();
}

void *call(int slot, std::uintptr_t return_address) {
  const bool passes_us = dispatch::leads_to_library() && !world_order::wanted;
  if (passes_us || is_forwarded(return_address)) return own_function(slot);
  if (slot < recorded_slots) mark(slot);
  void *ours = dispatch::symbol(static_cast<Slot>(slot));
  void *&next = library::next_functions[slot];
  void *following = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (following == nullptr) following = library::find_next(static_cast<Slot>(slot));
  void *following_stub = stubs::at(rankwise_following_stubs, slot);
  if (following == following_stub) {
    past_tools = slot + 1;
  } else if (following == library::function(slot_facts[slot].name)) {
    // No tool is between us and the library: no check is needed next time.
    __atomic_store_n(&rankwise_profiling_slots[slot], ours, __ATOMIC_RELEASE);
  } else {
    __atomic_store_n(&tools_functions[slot], following, __ATOMIC_RELAXED);
    __atomic_store_n(&next, following_stub, __ATOMIC_RELEASE);
    past_tools = slot + 1;
  }
  return ours;
}

}  // namespace

// RATIONALE: the slot is filled in here, because it is used only through this result. Otherwise the loader would fill
// it in in every process.
void *symbol(Slot slot) {
  auto *stub = static_cast<char *>(stubs::at(rankwise_profiling_stubs, static_cast<int>(slot)));
  void *empty = nullptr;
  __atomic_compare_exchange_n(&rankwise_profiling_slots[static_cast<int>(slot)], &empty,
                              static_cast<void *>(stub + rankwise_profiling_jump), false, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
  return stub;
}

void refers(const char *object, Procedure procedure) {
  const char *slash = strrchr(object, '/');
  const char *name = slash != nullptr ? slash + 1 : object;
  const Guard guard(marking);
  Referrer *referrer = referrers;
  while (referrer != referrers + referrer_count && strncmp(referrer->name, name, sizeof referrer->name - 1) != 0) {
    ++referrer;
  }
  if (referrer == referrers + referrer_count) {
    if (referrer_count == most_referrers) return;
    snprintf(referrer->name, sizeof referrer->name, "%s", name);
    ++referrer_count;
  }
  add(referrer->procedures, static_cast<unsigned>(procedure));
}

void tell() {
  const Guard guard(marking);
  write();
}

}  // namespace rankwise::profiling

void *rankwise_profiling_call(std::uint64_t slot, std::uintptr_t return_address) {
  return rankwise::profiling::call(static_cast<int>(slot), return_address);
}

void *rankwise_following_call(std::uint64_t slot) {
  using namespace rankwise::profiling;
  const int number = static_cast<int>(slot);
  const bool past = past_tools == number + 1;
  past_tools = 0;
  return past ? own_function(number) : __atomic_load_n(&tools_functions[number], __ATOMIC_RELAXED);
}
