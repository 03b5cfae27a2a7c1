#include "dispatch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "../builds/builds.h"
#include "../report.h"
#include "copies.h"
#include "library.h"

extern "C" {
// Defined in stubs.S: the addresses that the stubs jump to, and the stubs' own addresses.
extern void *rankwise_slots[];
extern void *const rankwise_stubs[];
// Called by a stub whose slot has not been filled in.
void *rankwise_first_call(std::uint64_t slot);
}

namespace rankwise::dispatch {
namespace {

constexpr int slots = static_cast<int>(Slot::count);

bool past_us = false;

void fill(int slot, void *target) { __atomic_store_n(&rankwise_slots[slot], target, __ATOMIC_RELEASE); }

// RATIONALE: the first call of each kind would wait for the system to bring in the wrapper's page, microseconds in
// which messages arrive in another order than without us. (Older systems don't know the wish; then it is so.)
void bring_in(void *const *wrappers) {
  constexpr int populate_read = 22;  // MADV_POPULATE_READ, which older headers lack
  const auto [lowest, highest] = std::minmax_element(wrappers, wrappers + slots);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(*lowest) & ~(page - 1);
  madvise(reinterpret_cast<void *>(from), reinterpret_cast<std::uintptr_t>(*highest) + 1 - from, populate_read);
}

}  // namespace

void to_wrappers(void *const *wrappers) {
  bring_in(wrappers);
  for (int i = 0; i < slots; ++i) fill(i, wrappers[i]);
}

void to_library() {
  __atomic_store_n(&past_us, true, __ATOMIC_RELAXED);
  for (int i = 0; i < slots; ++i) {
    void *own = library::find_next(static_cast<Slot>(i));
    if (own != nullptr) fill(i, own);
  }
}

bool leads_to_library() { return __atomic_load_n(&past_us, __ATOMIC_RELAXED); }

void *symbol(Slot slot) { return rankwise_stubs[static_cast<int>(slot)]; }

}  // namespace rankwise::dispatch

void *rankwise_first_call(std::uint64_t slot) {
  using namespace rankwise;
  void *const *wrappers = copies::recording_wanted() ? builds::wrappers(library::abi()) : nullptr;
  if (wrappers != nullptr) {
    dispatch::to_wrappers(wrappers);
  } else {
    dispatch::to_library();
  }
  void *target = __atomic_load_n(&rankwise_slots[slot], __ATOMIC_ACQUIRE);
  if (wrappers == nullptr && library::next_functions[slot] == nullptr) {
    say_once("the program calls %s, but no MPI library is loaded", slot_facts[slot].name);
    std::abort();
  }
  return target;
}
