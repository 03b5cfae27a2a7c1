// Finds peers by the address or handle that a transport uses for them.
#ifndef RANKWISE_HOOKS_PEER_TABLE_H
#define RANKWISE_HOOKS_PEER_TABLE_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "../format.h"
#include "../hash.h"
#include "../lock.h"

namespace rankwise {

// Open addressing, linear probing, at most half full. Read without a lock; tables that have become too small are never
// freed, because another thread may still be reading. All zero is an empty table. No key is ~0.
class PeerTable {
 public:
  static constexpr std::uint32_t unknown = RANKWISE_PEER_UNKNOWN;

  std::uint32_t find(std::uint64_t key) const {
    const Table *table = __atomic_load_n(&table_, __ATOMIC_ACQUIRE);
    if (table == nullptr) return unknown;
    const Entry &entry = table->entries[table->place_of(key + 1)];
    const bool found = __atomic_load_n(&entry.mark, __ATOMIC_ACQUIRE) == key + 1;
    return found ? __atomic_load_n(&entry.peer, __ATOMIC_RELAXED) : unknown;
  }

  // Replaces the key's value.
  void set(std::uint64_t key, std::uint32_t peer) {
    const Guard guard(lock_);
    if (!make_room()) return;
    Entry &entry = table_->entries[table_->place_of(key + 1)];
    if (entry.mark == 0) ++used_;
    __atomic_store_n(&entry.peer, peer, __ATOMIC_RELAXED);
    __atomic_store_n(&entry.mark, key + 1, __ATOMIC_RELEASE);
  }

  bool empty() const { return used_ == 0; }

 private:
  struct Entry {
    std::uint64_t mark;  // key + 1, 0 = free
    std::uint32_t peer;
  };
  struct Table {
    unsigned bits;
    Entry entries[1];

    std::size_t last() const { return (std::size_t{1} << bits) - 1; }
    std::size_t place_of(std::uint64_t mark) const {
      std::size_t i = scatter(mark) >> (64 - bits);
      for (;; i = (i + 1) & last()) {
        const std::uint64_t there = __atomic_load_n(&entries[i].mark, __ATOMIC_RELAXED);
        if (there == mark || there == 0) return i;
      }
    }
  };

  bool make_room() {
    if (table_ != nullptr && used_ * 2 <= table_->last()) return true;
    const unsigned bits = table_ == nullptr ? 8 : table_->bits + 1;
    auto *larger = static_cast<Table *>(std::calloc(1, sizeof(Table) + (sizeof(Entry) << bits)));
    if (larger == nullptr) return false;
    larger->bits = bits;
    for (std::size_t i = 0; table_ != nullptr && i <= table_->last(); ++i) {
      const Entry &entry = table_->entries[i];
      if (entry.mark != 0) larger->entries[larger->place_of(entry.mark)] = entry;
    }
    __atomic_store_n(&table_, larger, __ATOMIC_RELEASE);
    return true;
  }

  Lock lock_;
  Table *table_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace rankwise

#endif
