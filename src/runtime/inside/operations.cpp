#include "operations.h"

#include "../communicators.h"
#include "../format.h"
#include "../hash.h"
#include "../lock.h"
#include "../thread.h"

namespace rankwise::inside::operations {
namespace {

// RATIONALE: the end of an operation is not reported (a process may still send for others after its own request is
// complete), so the oldest make room. 4096 of them may be in progress at once.
constexpr unsigned set_bits = 10;
constexpr unsigned ways = 4;

constexpr unsigned name_bits = 28;  // the highest bits, which also choose the set

// RATIONALE: all zero while it is free, so that the table takes no room in the library's file.
struct Entry {
  std::uint64_t operation = 0;
  std::uint64_t age = 0;
  Cause cause{Procedure::none, 0, 0, {}, nullptr, false};
};

Entry sets[1U << set_bits][ways];
std::uint64_t learned = 0;
Lock lock;

// Communicators that are gone, one bit for each index. Indices are given once.
//
// RATIONALE: their entries stay, and are ignored. Searching for them in all sets at each MPI_Comm_free took longer than
// MPI_Comm_free itself.
constexpr std::uint32_t indices = RANKWISE_FIRST_COMMUNICATOR + communicators::most_records;
std::uint64_t gone[(indices + 63) / 64];

// Communicators without a record share an index. Once any of them is gone, everything learned before about all of them
// is ignored: this counts the operations learned until then.
std::uint64_t learned_before[RANKWISE_FIRST_COMMUNICATOR];

bool has_own_index(std::uint32_t communicator) {
  return communicator >= RANKWISE_FIRST_COMMUNICATOR && communicator < indices;
}

bool is_gone(const Entry &entry) {
  const std::uint32_t communicator = entry.cause.communicator;
  if (!has_own_index(communicator)) return entry.age <= learned_before[communicator];
  return ((gone[communicator / 64] >> (communicator % 64)) & 1) != 0;
}

bool is_alive(const Entry &entry) { return entry.operation != 0 && !is_gone(entry); }

std::uint64_t age_of(const Entry &entry) { return is_alive(entry) ? entry.age : 0; }

Entry *set_of(std::uint64_t operation) { return sets[scatter(operation) >> (64 - set_bits)]; }

}  // namespace

Cause find(std::uint64_t operation) {
  const Guard guard(lock, threads::several);
  const Entry *set = set_of(operation);
  for (unsigned i = 0; i < ways; ++i) {
    if (set[i].operation == operation && is_alive(set[i])) return set[i].cause;
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
    if (age_of(set[i]) < age_of(*place)) place = &set[i];
  }
  *place = {operation, ++learned, cause};
}

std::uint32_t short_name(std::uint64_t operation) {
  return static_cast<std::uint32_t>(scatter(operation) >> (64 - name_bits)) | 1;
}

void complete(std::uint32_t name) {
  const Guard guard(lock, threads::several);
  Entry *set = sets[name >> (name_bits - set_bits)];
  for (unsigned i = 0; i < ways; ++i) {
    if (set[i].operation != 0 && short_name(set[i].operation) == name) set[i].cause.complete = true;
  }
}

void forget(std::uint32_t communicator) {
  const Guard guard(lock, threads::several);
  if (has_own_index(communicator)) {
    gone[communicator / 64] |= std::uint64_t{1} << (communicator % 64);
  } else {
    learned_before[communicator] = learned;
  }
}

}  // namespace rankwise::inside::operations
