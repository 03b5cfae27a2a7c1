#include "imports.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "../counters_file.h"

namespace rankwise::imports {
namespace {

// All MPI libraries together have fewer functions without a wrapper.
constexpr unsigned bits = 10;
constexpr unsigned places = 1U << bits;

// Open addressing, linear probing, at most half full. Copies: objects may be closed before there is a counters file.
rankwise_import names[places];
unsigned order[places / 2];  // in which they were found
unsigned count = 0;
unsigned told = 0;
bool lost = false;
rankwise_section *section = nullptr;

rankwise_import *place_of(const char *name) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char *c = name; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 16777619U;
  unsigned place = hash % places;
  while (names[place].name[0] != '\0' && strncmp(names[place].name, name, sizeof names[place].name - 1) != 0) {
    place = (place + 1) % places;
  }
  return &names[place];
}

bool make_room() {
  if (section != nullptr && section->used < section->capacity) return true;
  constexpr std::uint32_t records = 64;
  section = counters_file::add_section(RANKWISE_SECTION_IMPORTS, sizeof(rankwise_import), records, RANKWISE_NO_THREAD,
                                       counters_file::Need::ordinary);
  return section != nullptr;
}

}  // namespace

void note(const char *name) {
  rankwise_import *place = place_of(name);
  if (place->name[0] != '\0') return;
  if (count * 2 >= places) {
    lost = true;
    return;
  }
  snprintf(place->name, sizeof place->name, "%s", name);
  order[count++] = static_cast<unsigned>(place - names);
}

void tell() {
  rankwise_header *head = counters_file::header();
  if (head == nullptr) return;
  for (; told < count && make_room(); ++told) {
    static_cast<rankwise_import *>(counters_file::records(section))[section->used] = names[order[told]];
    counters_file::publish(section);
  }
  head->imports_known = !lost && told == count ? 1 : 0;
}

}  // namespace rankwise::imports
