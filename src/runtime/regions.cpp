#include "regions.h"

#include <cstdio>
#include <cstring>

#include "clock.h"
#include "counters_file.h"
#include "lock.h"

namespace rankwise::regions {

std::uint32_t current = 0;

namespace {

constexpr std::uint32_t most_regions = 256;
constexpr int most_nested = 64;

Lock lock;
rankwise_section *section = nullptr;
std::uint32_t open_regions[most_nested];
int depth = 0;

rankwise_region *region(std::uint32_t index) {
  return static_cast<rankwise_region *>(counters_file::records(section)) + index;
}

// Index of the region, made if it is new; most_regions if there is no room.
std::uint32_t find(const char *name) {
  for (std::uint32_t i = 1; i < section->used; ++i) {
    if (strncmp(region(i)->name, name, sizeof region(i)->name - 1) == 0) return i;
  }
  if (section->used == section->capacity) return most_regions;
  const std::uint32_t index = section->used;
  snprintf(region(index)->name, sizeof region(index)->name, "%s", name);
  counters_file::publish(section);
  return index;
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
    closed->ticks += clock::ticks() - closed->opened;
    closed->opened = 0;
  }
  current = depth > 0 ? open_regions[depth - 1] : 0;
}

}  // namespace

bool start() {
  section = counters_file::add_section(RANKWISE_SECTION_REGIONS, sizeof(rankwise_region), most_regions,
                                       RANKWISE_NO_THREAD, counters_file::Need::ordinary);
  if (section == nullptr) return false;
  region(0)->entries = 1;
  region(0)->opened = clock::ticks();
  counters_file::publish(section);
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
  region(0)->ticks += clock::ticks() - region(0)->opened;
  region(0)->opened = 0;
}

}  // namespace rankwise::regions
