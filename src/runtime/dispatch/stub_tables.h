// The tables of stubs.S that lead to stubs.
#ifndef RANKWISE_DISPATCH_STUB_TABLES_H
#define RANKWISE_DISPATCH_STUB_TABLES_H

#include <cstdint>

namespace rankwise::stubs {

// The distance of a slot's stub from its entry.
//
// RATIONALE: the loader would have to relocate an address in every process.
using Distance = std::int32_t;

inline void *at(const Distance *table, int slot) {
  return const_cast<char *>(reinterpret_cast<const char *>(table + slot)) + table[slot];
}

}  // namespace rankwise::stubs

#endif
