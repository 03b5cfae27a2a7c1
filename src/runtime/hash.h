// Hashes: one for tables, one for the identities that all members of a communicator must agree on.
#ifndef RANKWISE_HASH_H
#define RANKWISE_HASH_H

#include <cstdint>

namespace rankwise {

// For tables. The high bits are the good ones.
constexpr std::uint64_t scatter(std::uint64_t key) { return key * 0x9E3779B97F4A7C15ULL; }

// For identities: equal on every process and every machine, so it must not depend on either. The finaliser of
// MurmurHash3, applied to the running value.
constexpr std::uint64_t chain(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t x = hash ^ (value + 0x9E3779B97F4A7C15ULL + (hash << 6) + (hash >> 2));
  x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCDULL;
  x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53ULL;
  x ^= x >> 33;
  return x != 0 ? x : 1;
}

}  // namespace rankwise

#endif
