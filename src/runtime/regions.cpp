#include "regions.h"

#include <cstdio>
#include <cstring>

#include "clock.h"
#include "counters_file.h"
#include "hash.h"
#include "lock.h"
#include "place.h"
#include "system_counters.h"

namespace rankwise::regions {

namespace {

constexpr std::uint32_t first_regions = 32;
constexpr std::uint32_t most_regions = RANKWISE_REGION_OTHER;  // maximum number in a key
constexpr int most_nested = RANKWISE_MOST_NESTED_REGIONS;

// An open entry. A region that is entered again directly inside itself is the same one, and one entry.
struct Open {
  std::uint32_t index;  // index of its record, or of the enclosing region if it has none
  std::uint32_t times;  // entered, and not left
  std::uint64_t name;   // hash
  bool has_record;
};

Lock lock;
rankwise_section *section = nullptr;
rankwise_region *records[most_regions];
std::uint32_t region_count = 0;
Open open_regions[most_nested];
int depth = 0;
std::uint64_t stopped_at = 0;
std::uint64_t deeper = 0;  // entries that had no room in open_regions, and are still open

// Records by parent and name: where a search begins, and what follows it until a free place. 0 = free.
constexpr unsigned index_bits = 13;
std::uint16_t record_index[1U << index_bits];
static_assert(most_regions <= (1U << index_bits) / 2);

std::uint64_t hash_of(const char *name) {
  std::uint64_t hash = 0;
  for (const char *at = name; *at != 0; ++at) hash = scatter((hash >> 32) ^ hash ^ static_cast<unsigned char>(*at));
  return hash;
}

bool is_named(const rankwise_region *record, const char *name) {
  return strncmp(record->name, name, sizeof record->name - 1) == 0;
}

// Makes room for one more, doubling the space.
bool make_room() {
  if (section != nullptr && section->used < section->capacity) return true;
  rankwise_section *next = counters_file::add_section(RANKWISE_SECTION_REGIONS, sizeof(rankwise_region),
                                                      region_count == 0 ? first_regions : region_count,
                                                      RANKWISE_NO_THREAD, counters_file::Need::ordinary);
  if (next == nullptr) return false;
  section = next;
  return true;
}

// The next record; make_room() has found room for it.
rankwise_region *next_record() {
  return static_cast<rankwise_region *>(counters_file::records(section)) + section->used;
}

void publish(rankwise_region *record) {
  records[region_count++] = record;
  counters_file::publish(section);
}

// Index of the region of this name inside the current one, created if it is new; most_regions if there is no room.
std::uint32_t find(const char *name, std::uint64_t hash) {
  constexpr std::uint64_t last = (1U << index_bits) - 1;
  std::uint64_t slot = scatter(hash ^ current) >> (64 - index_bits);
  for (; record_index[slot] != 0; slot = (slot + 1) & last) {
    const rankwise_region *record = records[record_index[slot]];
    if (record->parent == current && is_named(record, name)) return record_index[slot];
  }
  if (region_count >= most_regions || !make_room()) return most_regions;
  rankwise_region *record = next_record();
  snprintf(record->name, sizeof record->name, "%s", name);
  record->parent = current;
  publish(record);
  record_index[slot] = static_cast<std::uint16_t>(region_count - 1);
  return region_count - 1;
}

// The process is in another region from now on.
void go_to(std::uint32_t region, std::uint64_t now) {
  if (region != current) system_counters::step(current, region, now);
  current = region;
}

void close_innermost() {
  const Open &closing = open_regions[--depth];
  const std::uint64_t now = clock::ticks();
  if (closing.has_record) {
    rankwise_region *closed = records[closing.index];
    closed->ticks += clock::elapsed(closed->opened, now);
    closed->opened = 0;
  }
  go_to(depth > 0 ? open_regions[depth - 1].index : 0, now);
}

}  // namespace

bool start() {
  if (!make_room()) return false;
  rankwise_region *whole_program = next_record();
  whole_program->entries = 1;
  whole_program->opened = clock::ticks();
  publish(whole_program);
  return true;
}

void enter(const char *name) {
  const Guard guard(lock);
  const std::uint64_t hash = hash_of(name);
  Open *innermost = depth > 0 && deeper == 0 ? &open_regions[depth - 1] : nullptr;
  if (innermost != nullptr && innermost->name == hash) {
    ++innermost->times;
    if (innermost->has_record) {
      ++records[innermost->index]->entries;
    } else {
      counters_file::drop(RANKWISE_DROPPED_REGIONS);
    }
    return;
  }
  if (depth == most_nested) {
    ++deeper;
    counters_file::drop(RANKWISE_DROPPED_REGIONS);
    return;
  }
  const std::uint32_t index = find(name, hash);
  const bool has_record = index != most_regions;
  if (has_record) {
    const std::uint64_t now = clock::ticks();
    records[index]->opened = now;
    ++records[index]->entries;
    go_to(index, now);
  } else {
    counters_file::drop(RANKWISE_DROPPED_REGIONS);
  }
  place::look();
  open_regions[depth++] = {current, 1, hash, has_record};
}

void leave(const char *name) {
  const Guard guard(lock);
  if (depth == 0) return;
  if (deeper > 0) {  // with unknown names: assumed to end the latest one
    --deeper;
    return;
  }
  int to = depth - 1;
  if (name != nullptr) {
    const std::uint64_t hash = hash_of(name);
    while (to >= 0 && open_regions[to].name != hash) --to;
    if (to < 0) return;
  }
  while (depth > to + 1) close_innermost();
  if (--open_regions[to].times == 0) close_innermost();
}

void stop() {
  const Guard guard(lock);
  deeper = 0;
  while (depth > 0) close_innermost();
  system_counters::charge(current);
  if (records[0]->opened == 0) return;  // stopped earlier, by a call that was left
  stopped_at = clock::ticks();
  records[0]->ticks += clock::elapsed(records[0]->opened, stopped_at);
  records[0]->opened = 0;
}

void stop_later() {
  const Guard guard(lock);
  const std::uint64_t now = clock::ticks();
  records[0]->ticks += clock::elapsed(stopped_at, now);
  stopped_at = now;
}

void start_again() {
  const Guard guard(lock);
  records[0]->opened = clock::ticks();
}

}  // namespace rankwise::regions
