#include "requests.h"

#include <cstdlib>

namespace rankwise::requests {
namespace {

constexpr unsigned first_bits = 8;
constexpr unsigned most_bits = 24;  // 512 MiB of table: beyond it requests are dropped and counted

bool may_share(Kind kind) { return kind == Kind::send || kind == Kind::collective; }

}  // namespace

void Table::meet(Request &slot, const Request &request) {
  if (may_share(slot.kind) && may_share(request.kind)) {
    if (slot.communicator != request.communicator) slot.communicator = RANKWISE_COMMUNICATOR_SEVERAL;
    ++slot.shared;
    return;
  }
  // Completed where we did not see it.
  if (slot.kind == Kind::receive || slot.kind == Kind::exchange) counters_file::drop(RANKWISE_DROPPED_RECEIVES);
  slot = request;
  slot.shared = 0;
}

bool Table::make_room() {
  const unsigned bits = slots_ == 0 ? first_bits : 64 - shift_ + 1;
  if (bits > most_bits) return false;
  const std::uint64_t larger_slots = std::uint64_t{1} << bits;
  auto *larger = static_cast<Request *>(std::calloc(larger_slots, sizeof(Request)));
  if (larger == nullptr) return false;
  Request *old = slots_of_;
  const std::uint64_t old_slots = slots_;
  slots_of_ = larger;
  slots_ = larger_slots;
  shift_ = 64 - bits;
  for (std::uint64_t i = 0; i < old_slots; ++i) {
    if (old[i].kind != Kind::none) slots_of_[probe(old[i].handle)] = old[i];
  }
  std::free(old);
  return true;
}

}  // namespace rankwise::requests
