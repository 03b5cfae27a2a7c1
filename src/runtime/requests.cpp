#include "requests.h"

#include <cstdlib>

#include "counters_file.h"
#include "hash.h"
#include "lock.h"
#include "thread.h"

namespace rankwise::requests {
namespace {

constexpr unsigned first_bits = 8;
constexpr unsigned most_bits = 24;  // 512 MiB of table: beyond it requests are dropped and counted

// Open addressing, linear probing, at most half full. No lock unless several threads may call MPI.
Request *table = nullptr;
unsigned shift = 64;
std::uint64_t mask = 0;
std::uint64_t entries = 0;
Lock lock;

std::uint64_t slot_of(std::uint64_t handle) { return scatter(handle) >> shift; }

// The slot that holds the handle, or the free one where it belongs.
std::uint64_t probe(std::uint64_t handle) {
  std::uint64_t i = slot_of(handle);
  while (table[i].kind != Kind::none && table[i].handle != handle) i = (i + 1) & mask;
  return i;
}

[[gnu::noinline]] bool make_room() {
  const unsigned bits = table == nullptr ? first_bits : 64 - shift + 1;
  if (bits > most_bits) return false;
  auto *larger = static_cast<Request *>(std::calloc(std::size_t{1} << bits, sizeof(Request)));
  if (larger == nullptr) return false;
  Request *old = table;
  const std::uint64_t old_slots = old == nullptr ? 0 : mask + 1;
  table = larger;
  shift = 64 - bits;
  mask = (std::uint64_t{1} << bits) - 1;
  for (std::uint64_t i = 0; i < old_slots; ++i) {
    if (old[i].kind != Kind::none) table[probe(old[i].handle)] = old[i];
  }
  std::free(old);
  return true;
}

// Closes the gap that a removed entry leaves in its run.
void erase(std::uint64_t hole) {
  for (std::uint64_t i = hole;;) {
    i = (i + 1) & mask;
    if (table[i].kind == Kind::none) break;
    if (((i - slot_of(table[i].handle)) & mask) >= ((i - hole) & mask)) {
      table[hole] = table[i];
      hole = i;
    }
  }
  table[hole].kind = Kind::none;
  --entries;
}

bool may_share(Kind kind) { return kind == Kind::send || kind == Kind::collective; }

}  // namespace

void put(const Request &request) {
  const Guard guard(lock, threads::several);
  if (table == nullptr || entries * 2 > mask) {
    if (!make_room() && (table == nullptr || entries >= mask)) {
      counters_file::drop(RANKWISE_DROPPED_REQUESTS);
      return;
    }
  }
  Request &slot = table[probe(request.handle)];
  if (slot.kind == Kind::none) {
    slot = request;
    slot.shared = 0;
    ++entries;
  } else if (may_share(slot.kind) && may_share(request.kind)) {
    if (slot.communicator != request.communicator) slot.communicator = RANKWISE_COMMUNICATOR_SEVERAL;
    ++slot.shared;
  } else {
    // Completed where we did not see it.
    if (slot.kind == Kind::receive || slot.kind == Kind::exchange) counters_file::drop(RANKWISE_DROPPED_RECEIVES);
    slot = request;
    slot.shared = 0;
  }
}

Request take(std::uint64_t handle) {
  const Guard guard(lock, threads::several);
  if (table == nullptr) return {};
  const std::uint64_t i = probe(handle);
  const Request found = table[i];
  if (found.kind == Kind::none) return {};
  if (found.shared > 0) {
    --table[i].shared;
  } else {
    erase(i);
  }
  return found;
}

Request look(std::uint64_t handle) {
  const Guard guard(lock, threads::several);
  return table == nullptr ? Request{} : table[probe(handle)];
}

}  // namespace rankwise::requests
