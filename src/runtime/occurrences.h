// How often the same thing has happened: tells apart communicators that the same group makes with the same tag.
#ifndef RANKWISE_OCCURRENCES_H
#define RANKWISE_OCCURRENCES_H

#include <cstdint>

namespace rankwise::occurrences {

// Counts what this hash stands for; 1 the first time. Without memory it is always the first time.
std::uint32_t next(std::uint64_t hash);

}  // namespace rankwise::occurrences

#endif
