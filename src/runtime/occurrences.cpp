#include "occurrences.h"

#include <cstdlib>

#include "lock.h"

namespace rankwise::occurrences {
namespace {

struct Entry {
  std::uint64_t hash;
  std::uint32_t count;  // 0 = free
};

// Open addressing, linear probing, at most half full; nothing is ever removed.
Entry *table = nullptr;
std::uint64_t slots = 0;
std::uint64_t used = 0;
Lock lock;

Entry &find(Entry *entries, std::uint64_t mask, std::uint64_t hash) {
  std::uint64_t i = hash & mask;
  while (entries[i].count != 0 && entries[i].hash != hash) i = (i + 1) & mask;
  return entries[i];
}

bool make_room() {
  if (used * 2 < slots) return true;
  const std::uint64_t more = slots == 0 ? 64 : slots * 2;
  auto *larger = static_cast<Entry *>(std::calloc(more, sizeof(Entry)));
  if (larger == nullptr) return false;
  for (std::uint64_t i = 0; i < slots; ++i) {
    if (table[i].count != 0) find(larger, more - 1, table[i].hash) = table[i];
  }
  std::free(table);
  table = larger;
  slots = more;
  return true;
}

}  // namespace

std::uint32_t next(std::uint64_t hash) {
  const Guard guard(lock);
  if (!make_room()) return 1;
  Entry &entry = find(table, slots - 1, hash);
  if (entry.count == 0) ++used;
  entry.hash = hash;
  return ++entry.count;
}

}  // namespace rankwise::occurrences
