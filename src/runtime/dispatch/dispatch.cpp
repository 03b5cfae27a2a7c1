#include "dispatch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "../builds/builds.h"
#include "../clock.h"
#include "../node_clock.h"
#include "../report.h"
#include "../world_order.h"
#include "copies.h"
#include "library.h"
#include "stub_tables.h"

extern "C" {
// Defined in stubs.S: the addresses that the stubs jump to, and the stubs.
extern void *rankwise_slots[];
extern const rankwise::stubs::Distance rankwise_stubs[];
// Called by a stub whose slot has not been filled in.
void *rankwise_first_call(std::uint64_t slot);
}

namespace rankwise::dispatch {
namespace {

constexpr int slots = static_cast<int>(Slot::count);

bool past_us = false;

void *outer_functions[slots] = {};  // nullptr: calls reach the inner one at once

void fill(int slot, void *target) {
  __atomic_store_n(&inner_functions[slot], target, __ATOMIC_RELEASE);
  void *outer = outer_functions[slot];
  __atomic_store_n(&rankwise_slots[slot], outer != nullptr ? outer : target, __ATOMIC_RELEASE);
}

// RATIONALE: otherwise the first call of each kind would wait for the page of its wrapper, for microseconds in which
// messages arrive in another order than without us. (Older systems don't support this; then it is so.)
void bring_in(void *const (&wrappers)[slots]) {
  constexpr int populate_read = 22;  // MADV_POPULATE_READ, which older headers lack
  const auto [lowest, highest] = std::minmax_element(wrappers, wrappers + recorded_slots);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(*lowest) & ~(page - 1);
  madvise(reinterpret_cast<void *>(from), reinterpret_cast<std::uintptr_t>(*highest) + 1 - from, populate_read);
}

}  // namespace

bool to_wrappers(rankwise_abi abi) {
  void *wrappers[slots];
  if (!builds::write_wrappers(abi, wrappers)) return false;
  bring_in(wrappers);
  clock::choose();
  node_clock::read_test();
  if (world_order::wanted) builds::write_outer(abi, outer_functions);
  for (int i = 0; i < recorded_slots; ++i) fill(i, wrappers[i]);
  for (int i = recorded_slots; i < slots && world_order::wanted; ++i) fill(i, library::find_next(static_cast<Slot>(i)));
  return true;
}

void to_library() {
  __atomic_store_n(&past_us, true, __ATOMIC_RELAXED);
  for (int i = 0; i < slots; ++i) {
    void *own = library::find_next(static_cast<Slot>(i));
    if (own != nullptr) fill(i, own);
  }
}

bool leads_to_library() { return __atomic_load_n(&past_us, __ATOMIC_RELAXED); }

void *symbol(Slot slot) { return stubs::at(rankwise_stubs, static_cast<int>(slot)); }

}  // namespace rankwise::dispatch

void *rankwise_first_call(std::uint64_t slot) {
  using namespace rankwise;
  const bool recorded = copies::recording_wanted() && dispatch::to_wrappers(library::abi());
  if (!recorded) dispatch::to_library();
  void *target = __atomic_load_n(&rankwise_slots[slot], __ATOMIC_ACQUIRE);
  if (!recorded && library::next_functions[slot] == nullptr) {
    say_once("the program calls %s, but no MPI library is loaded", slot_facts[slot].name);
    std::abort();
  }
  return target;
}
