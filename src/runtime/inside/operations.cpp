#include "operations.h"

#include "../hash.h"
#include "../lock.h"
#include "../thread.h"

namespace rankwise::inside::operations {
namespace {

// RATIONALE: nobody says when an operation is over (a process may still send for others after its own request is
// complete), so the oldest make room. 4096 of them may be under way at once.
constexpr unsigned set_bits = 10;
constexpr unsigned ways = 4;

struct Entry {
  std::uint64_t operation = 0;
  std::uint64_t age = 0;
  Cause cause;
};

Entry sets[1U << set_bits][ways];
std::uint64_t learned = 0;
Lock lock;

Entry *set_of(std::uint64_t operation) { return sets[scatter(operation) >> (64 - set_bits)]; }

}  // namespace

Cause find(std::uint64_t operation) {
  const Guard guard(lock, threads::several);
  const Entry *set = set_of(operation);
  for (unsigned i = 0; i < ways; ++i) {
    if (set[i].operation == operation) return set[i].cause;
  }
  return {};
}

void learn(std::uint64_t operation, const Cause &cause) {
  const Guard guard(lock, threads::several);
  Entry *set = set_of(operation);
  Entry *place = set;
  for (unsigned i = 0; i < ways; ++i) {
    if (set[i].operation == operation) {
      place = &set[i];
      break;
    }
    if (set[i].age < place->age) place = &set[i];
  }
  *place = {operation, ++learned, cause};
}

void forget(std::uint32_t communicator) {
  if (learned == 0) return;
  const Guard guard(lock, threads::several);
  for (auto &set : sets) {
    for (Entry &entry : set) {
      if (entry.cause.communicator == communicator) entry = {};
    }
  }
}

}  // namespace rankwise::inside::operations
