// The tables of stubs.S that lead to stubs.
#ifndef RANKWISE_DISPATCH_STUB_TABLES_H
#define RANKWISE_DISPATCH_STUB_TABLES_H

#include <cstdint>

namespace rankwise::stubs {

// How far the stub of a slot lies from its entry.
//
// RATIONALE: of an address the loader would have to write down where it is, in every process.
using Distance = std::int32_t;

inline void *at(const Distance *table, int slot) {
  return const_cast<char *>(reinterpret_cast<const char *>(table + slot)) + table[slot];
}

}  // namespace rankwise::stubs

#endif
