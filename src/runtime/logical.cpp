#include "logical.h"

#include <cstdlib>

#include "counters_file.h"

namespace rankwise::logical {
namespace {

Total *totals = nullptr;
std::uint32_t total_count = 0;
// Communicators with data that has not been added to the totals.
communicators::Communicator *pending = nullptr;

// Distributes the pending data of a communicator to its members.
void spread(communicators::Communicator &communicator) {
  communicators::Pending &waiting = communicator.pending;
  for (int peer = 0; peer < communicator.peers(); ++peer) {
    if (!communicator.inter && peer == communicator.rank) continue;
    const int rank = communicator.world_ranks != nullptr ? communicator.world_ranks[peer] : peer;
    if (rank < 0 || static_cast<std::uint32_t>(rank) >= total_count) continue;
    Total &total = totals[rank];
    total.messages += waiting.to_all_messages;
    total.bytes += waiting.to_all_bytes;
    if (peer < communicator.rank) continue;
    total.messages += waiting.to_later_messages;
    total.bytes += waiting.to_later_bytes;
  }
  waiting = {};
}

void note(communicators::Communicator &communicator) {
  if (communicator.pending.exists) return;
  communicator.pending.exists = true;
  communicator.pending.next = pending;
  pending = &communicator;
}

}  // namespace

bool want() {
  if (totals == nullptr) {
    total_count = static_cast<std::uint32_t>(counters_file::header()->world_size);
    totals = static_cast<Total *>(std::calloc(total_count + 1U, sizeof(Total)));
    if (totals == nullptr) return false;
  }
  __atomic_fetch_add(&wanted, 1, __ATOMIC_RELAXED);
  return true;
}

void no_longer_want() { __atomic_fetch_sub(&wanted, 1, __ATOMIC_RELAXED); }

void to_all(communicators::Communicator &communicator, std::uint64_t bytes) {
  note(communicator);
  ++communicator.pending.to_all_messages;
  communicator.pending.to_all_bytes += bytes;
}

void to_later(communicators::Communicator &communicator, std::uint64_t bytes) {
  note(communicator);
  ++communicator.pending.to_later_messages;
  communicator.pending.to_later_bytes += bytes;
}

void to_one(std::uint32_t world_rank, std::uint64_t bytes) {
  if (world_rank >= total_count) return;
  ++totals[world_rank].messages;
  totals[world_rank].bytes += bytes;
}

const Total *settled() {
  while (pending != nullptr) {
    communicators::Communicator *next = pending->pending.next;
    spread(*pending);
    pending = next;
  }
  return totals;
}

void settle(communicators::Communicator &communicator) {
  const Guard guard(lock);
  if (!communicator.pending.exists) return;
  communicators::Communicator **place = &pending;
  while (*place != &communicator) place = &(*place)->pending.next;
  *place = communicator.pending.next;
  spread(communicator);
}

}  // namespace rankwise::logical
