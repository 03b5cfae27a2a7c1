#include "regions.h"

#include <cstdio>
#include <cstring>

#include "clock.h"
#include "counters_file.h"
#include "lock.h"

namespace rankwise::regions {

namespace {

constexpr std::uint32_t first_regions = 32;
constexpr std::uint32_t most_regions = 256;
constexpr int most_nested = 64;

Lock lock;
rankwise_section *section = nullptr;
rankwise_region *records[most_regions];
std::uint32_t region_count = 0;
std::uint32_t open_regions[most_nested];
int depth = 0;

rankwise_region *region(std::uint32_t index) { return records[index]; }

// Room for one more; as many again as there are at a time.
bool make_room() {
  if (section != nullptr && section->used < section->capacity) return true;
  if (region_count >= most_regions) return false;
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

// Index of the region, made if it is new; most_regions if there is no room.
std::uint32_t find(const char *name) {
  for (std::uint32_t i = 1; i < region_count; ++i) {
    if (strncmp(region(i)->name, name, sizeof region(i)->name - 1) == 0) return i;
  }
  if (!make_room()) return most_regions;
  rankwise_region *record = next_record();
  snprintf(record->name, sizeof record->name, "%s", name);
  publish(record);
  return region_count - 1;
}

// A region that is entered inside itself runs from its outermost entry to its outermost exit.
bool is_open(std::uint32_t index) {
  for (int i = 0; i < depth; ++i) {
    if (open_regions[i] == index) return true;
  }
  return false;
}

void close_innermost() {
  const std::uint32_t index = open_regions[--depth];
  if (!is_open(index)) {
    rankwise_region *closed = region(index);
    closed->ticks += clock::elapsed(closed->opened, clock::ticks());
    closed->opened = 0;
  }
  current = depth > 0 ? open_regions[depth - 1] : 0;
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
  const std::uint32_t index = depth < most_nested ? find(name) : most_regions;
  if (index == most_regions) {
    counters_file::drop(RANKWISE_DROPPED_REGIONS);
    return;
  }
  if (!is_open(index)) region(index)->opened = clock::ticks();
  ++region(index)->entries;
  open_regions[depth++] = index;
  current = index;
}

void leave(const char *name) {
  const Guard guard(lock);
  if (depth == 0) return;
  int to = depth - 1;
  if (name != nullptr) {
    while (to >= 0 && strncmp(region(open_regions[to])->name, name, sizeof region(0)->name - 1) != 0) --to;
    if (to < 0) return;
  }
  while (depth > to) close_innermost();
}

void stop() {
  const Guard guard(lock);
  while (depth > 0) close_innermost();
  if (region(0)->opened == 0) return;  // stopped before, by a call that was left
  region(0)->ticks += clock::elapsed(region(0)->opened, clock::ticks());
  region(0)->opened = 0;
}

void start_again() {
  const Guard guard(lock);
  region(0)->opened = clock::ticks();
}

}  // namespace rankwise::regions
