#include "requests.h"

#include <cstdlib>

namespace rankwise::requests {
namespace {

constexpr unsigned first_bits = 4;
constexpr unsigned most_bits = 18;  // 512 MiB in all parts: beyond it requests are dropped and counted

}  // namespace

void Table::meet(Part &part, Request &slot, const Request &request) {
  if (may_share(slot) && may_share(request)) {
    if (slot.communicator != request.communicator) slot.communicator = RANKWISE_COMMUNICATOR_SEVERAL;
    slot.in_sample |= request.in_sample;
    ++slot.once.shared;
    return;
  }
  // Completed without our notice.
  if (is_under_way(slot)) lost(slot);
  enter(part, slot, request);
}

Request Table::remove(std::uint64_t handle) {
  const std::uint64_t hash = scatter(handle);
  Part &part = part_of(hash);
  const Guard guard(part.lock, threads::several);
  if (part.entries == 0) return {};
  const std::uint64_t i = probe(part, hash, handle);
  const Request found = part.slot[i];
  if (found.kind == Kind::none) return {};
  take(part, i);
  return found;
}

void Table::put_in_sample(std::uint64_t handle) {
  const std::uint64_t hash = scatter(handle);
  Part &part = part_of(hash);
  const Guard guard(part.lock, threads::several);
  if (part.entries == 0) return;
  Request &slot = part.slot[probe(part, hash, handle)];
  if (slot.kind != Kind::none) slot.in_sample = 1;
}

void Table::rename(Request request, std::uint64_t handle) {
  const std::uint64_t hash = scatter(request.handle);
  Part &part = part_of(hash);
  {
    const Guard guard(part.lock, threads::several);
    const std::uint64_t i = part.entries == 0 ? 0 : probe(part, hash, request.handle);
    if (part.entries != 0 && part.slot[i].kind != Kind::none && part.slot[i].persistent) erase(part, i);
  }
  request.handle = handle;
  put(request);
}

bool Table::make_room(Part &part) {
  const unsigned bits = part.slots == 0 ? first_bits : 64 - part.shift + 1;
  if (bits > most_bits) return false;
  const std::uint64_t larger = std::uint64_t{1} << bits;
  auto *slots = static_cast<Request *>(std::calloc(larger, sizeof(Request)));
  if (slots == nullptr) return false;
  Request *old = part.slot;
  const std::uint64_t old_slots = part.slots;
  part.slot = slots;
  part.slots = larger;
  part.shift = 64 - bits;
  for (std::uint64_t i = 0; i < old_slots; ++i) {
    if (old[i].kind == Kind::none) continue;
    part.slot[probe(part, scatter(old[i].handle), old[i].handle)] = old[i];
  }
  std::free(old);
  return true;
}

}  // namespace rankwise::requests
