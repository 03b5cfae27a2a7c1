// The partner that a call waits for, in one word of its thread's record: see rankwise_partner in format.h.
#ifndef RANKWISE_PARTNERS_H
#define RANKWISE_PARTNERS_H

#include <cstdint>

#include "format.h"

namespace rankwise::partners {

constexpr std::uint64_t nobody = 0;

constexpr std::uint64_t word(std::uint32_t who, std::int32_t tag) {
  return std::uint64_t{who} << RANKWISE_PARTNER_TAG_BITS | static_cast<std::uint32_t>(tag);
}

constexpr std::uint32_t who(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> RANKWISE_PARTNER_TAG_BITS);
}
constexpr std::int32_t tag(std::uint64_t word) { return static_cast<std::int32_t>(word & 0xFFFFFFFFU); }

// Two words as one.
constexpr std::uint64_t both(std::uint64_t one, std::uint64_t other) {
  if (one == nobody || one == other) return other;
  const std::int32_t same_tag = tag(one) == tag(other) ? tag(one) : static_cast<std::int32_t>(RANKWISE_TAG_UNKNOWN);
  return word(who(one) == who(other) ? who(one) : static_cast<std::uint32_t>(RANKWISE_PARTNER_SEVERAL), same_tag);
}

}  // namespace rankwise::partners

#endif
