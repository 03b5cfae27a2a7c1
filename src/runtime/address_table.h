// Facts about return addresses, by address: read without a lock, written under one.
#ifndef RANKWISE_ADDRESS_TABLE_H
#define RANKWISE_ADDRESS_TABLE_H

#include <atomic>
#include <cstdint>

#include "hash.h"

namespace rankwise {

// Open addressing, linear probing. Entry 0 is for addresses without an entry, and the address 0.
//
// RATIONALE: the index is separate from the entries so that these are dense: a process with 50 of them touches few
// pages.
template <class Value>
class AddressTable {
 public:
  static constexpr unsigned index_bits = 13;
  static constexpr unsigned most = 1U << (index_bits - 1);

  // nullptr if the first look does not find it.
  [[gnu::always_inline]] const Value *find_at_once(std::uintptr_t address) const {
    const auto slot = static_cast<unsigned>(scatter(address) >> (64 - index_bits));
    const Entry &entry = entries_[index_[slot].load(std::memory_order_acquire)];
    return entry.address.load(std::memory_order_acquire) == address ? &entry.value : nullptr;
  }

  // nullptr if the address has no entry.
  const Value *find(std::uintptr_t address) {
    const unsigned number = slot_of(address).load(std::memory_order_acquire);
    return number != 0 ? &entries_[number].value : nullptr;
  }

  bool is_full() const { return used_.load(std::memory_order_relaxed) == most - 1; }

  // Adds an address that is not in it, while it isn't full.
  const Value *add(std::uintptr_t address, const Value &value) {
    const unsigned number = used_.load(std::memory_order_relaxed) + 1;
    Entry &entry = entries_[number];
    entry.address.store(0, std::memory_order_relaxed);
    entry.value = value;
    entry.address.store(address, std::memory_order_release);
    used_.store(number, std::memory_order_relaxed);
    slot_of(address).store(static_cast<std::uint16_t>(number), std::memory_order_release);
    return &entry.value;
  }

  void clear() {
    for (std::atomic<std::uint16_t> &number : index_) number.store(0, std::memory_order_release);
    used_.store(0, std::memory_order_relaxed);
  }

 private:
  struct Entry {
    std::atomic<std::uintptr_t> address{0};
    Value value{};
  };

  std::atomic<std::uint16_t> &slot_of(std::uintptr_t address) {
    constexpr unsigned slots = 1U << index_bits;
    for (auto slot = static_cast<unsigned>(scatter(address) >> (64 - index_bits));; slot = (slot + 1) % slots) {
      const unsigned number = index_[slot].load(std::memory_order_acquire);
      if (number == 0 || entries_[number].address.load(std::memory_order_acquire) == address) return index_[slot];
    }
  }

  std::atomic<std::uint16_t> index_[1U << index_bits]{};
  Entry entries_[most]{};
  std::atomic<unsigned> used_{0};
};

}  // namespace rankwise

#endif
