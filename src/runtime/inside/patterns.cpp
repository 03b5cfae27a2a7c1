#include "patterns.h"

#include "../counters_file.h"
#include "../hash.h"
#include "../lock.h"
#include "../records.h"
#include "../thread.h"

namespace rankwise::inside::patterns {
namespace {

constexpr std::uint32_t first_patterns = 64;
constexpr std::uint32_t first_rows = 256;
constexpr std::uint32_t most_rows = 1U << 15;  // of a section
constexpr std::uint32_t most_row_sections = 8;

Lock lock;
constinit Records<rankwise_pattern> records(RANKWISE_SECTION_PATTERNS, first_patterns, RANKWISE_MOST_PATTERNS / 2, 5);
constinit Records<rankwise_pattern_row> rows(RANKWISE_SECTION_PATTERN_ROWS, first_rows, most_rows, most_row_sections);

rankwise_pattern *known[RANKWISE_MOST_PATTERNS];
std::uint32_t known_count = 0;

// Index + 1 by shape; open addressing, at most half full.
constexpr unsigned place_bits = 11;
static_assert((1U << place_bits) >= 2 * RANKWISE_MOST_PATTERNS);
std::uint16_t places[1U << place_bits];

bool has_shape(const rankwise_pattern &pattern, Procedure procedure, std::uint32_t communicator, int root,
               std::uint64_t size) {
  return pattern.size == size && pattern.communicator == communicator &&
         pattern.procedure == static_cast<std::uint16_t>(procedure) && pattern.root == root;
}

// nullptr if there is no room.
rankwise_pattern *add(std::uint16_t &place, Procedure procedure, std::uint32_t communicator, int root,
                      std::uint64_t size) {
  if (known_count == RANKWISE_MOST_PATTERNS) return nullptr;
  rankwise_pattern *pattern = records.next();
  if (pattern == nullptr) return nullptr;
  pattern->size = size;
  pattern->communicator = communicator;
  pattern->procedure = static_cast<std::uint16_t>(procedure);
  pattern->root = root;
  records.publish();
  known[known_count++] = pattern;
  place = static_cast<std::uint16_t>(known_count);
  return pattern;
}

}  // namespace

Kept count(Procedure procedure, std::uint32_t communicator, int root, std::uint64_t size) {
  const Guard guard(lock, threads::several);
  const std::uint64_t shape = (scatter(size) ^ communicator) * 1024 + static_cast<std::uint64_t>(procedure) * 8 +
                              static_cast<std::uint32_t>(root);
  for (std::uint64_t i = scatter(shape) >> (64 - place_bits);; i = (i + 1) % (1U << place_bits)) {
    std::uint16_t &place = places[i];
    rankwise_pattern *pattern = place == 0 ? add(place, procedure, communicator, root, size) : known[place - 1];
    if (pattern == nullptr) return {};
    if (!has_shape(*pattern, procedure, communicator, root, size)) continue;
    if (++pattern->calls > RANKWISE_MOST_KEPT_CALLS) return {};
    pattern->kept = static_cast<std::uint16_t>(pattern->calls);
    return {static_cast<std::uint32_t>(place - 1), static_cast<std::uint32_t>(pattern->calls)};
  }
}

void keep(Kept kept, std::uint32_t peer, std::uint64_t messages, std::uint64_t bytes) {
  const Guard guard(lock, threads::several);
  rankwise_pattern_row *row = rows.next();
  if (row == nullptr) {
    known[kept.pattern]->lost += static_cast<std::uint32_t>(messages);
    counters_file::drop(RANKWISE_DROPPED_PATTERN_ROWS, messages);
    return;
  }
  *row = {kept.pattern, kept.call, peer, 0, messages, bytes};
  rows.publish();
}

void lose(Kept kept, std::uint64_t messages) {
  const Guard guard(lock, threads::several);
  known[kept.pattern]->lost += static_cast<std::uint32_t>(messages);
  counters_file::drop(RANKWISE_DROPPED_PATTERN_ROWS, messages);
}

void spoil(Kept kept) {
  const Guard guard(lock, threads::several);
  if (kept.call != 0) ++known[kept.pattern]->lost;
}

}  // namespace rankwise::inside::patterns
