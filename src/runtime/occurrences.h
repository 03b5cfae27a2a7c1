// Counts repetitions: distinguishes communicators that the same group makes with the same tag.
#ifndef RANKWISE_OCCURRENCES_H
#define RANKWISE_OCCURRENCES_H

#include <cstdint>

namespace rankwise::occurrences {

// Increments the count of this hash; 1 the first time. If memory is exhausted, always 1.
std::uint32_t next(std::uint64_t hash);

}  // namespace rankwise::occurrences

#endif
