#include "call_sites.h"

#include <elf.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "callers.h"
#include "counters_file.h"
#include "dispatch/library.h"
#include "hash.h"
#include "lock.h"
#include "python_lines.h"

namespace rankwise::call_sites {
namespace {

constexpr int most_bindings = 4;  // one that calls another, and so on

std::atomic<unsigned> place_count{1};

Lock lock;
rankwise_object *objects[RANKWISE_MOST_OBJECTS];
std::uint32_t object_count = 0;
rankwise_section *object_section = nullptr;

struct Site {
  std::uint32_t object;
  std::uint64_t offset;
};
Site sites[RANKWISE_MOST_SITES];
std::uint32_t site_count = 0;
rankwise_section *site_section = nullptr;

std::atomic<std::uint16_t> &slot_of(std::uintptr_t address) {
  constexpr unsigned slots = 1U << index_bits;
  for (auto slot = static_cast<unsigned>(scatter(address) >> (64 - index_bits));; slot = (slot + 1) % slots) {
    const unsigned number = places_by_address[slot].load(std::memory_order_acquire);
    if (number == 0 || places[number].address.load(std::memory_order_acquire) == address) {
      return places_by_address[slot];
    }
  }
}

// nullptr if there is none.
const Place *known(std::uintptr_t address) {
  const unsigned number = slot_of(address).load(std::memory_order_acquire);
  return number != 0 ? &places[number] : nullptr;
}

// The object that an address lies in.
struct Search {
  std::uintptr_t address;
  bool found = false;
  bool is_program = true;  // the loader lists the program first
  bool in_binding = false;
  bool in_python = false;
  std::uint64_t offset = 0;
  frames::Rule rule;
  rankwise_object object{};
};

void keep_end(char (&to)[RANKWISE_MOST_OBJECT_BYTES], const char *name) {
  const std::size_t length = strlen(name);
  const std::size_t kept = length < sizeof to - 1 ? length : sizeof to - 1;
  memcpy(to, name + (length - kept), kept + 1);
}

// The note that linkers write (--build-id).
void read_build_id(const dl_phdr_info &info, rankwise_object &object) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char *at = reinterpret_cast<const char *>(info.dlpi_addr + segment.p_vaddr);
    std::size_t left = segment.p_memsz;
    ElfW(Nhdr) note;
    while (left >= sizeof note) {
      memcpy(&note, at, sizeof note);
      const std::size_t name = (std::size_t{note.n_namesz} + 3) & ~std::size_t{3};
      const std::size_t text = (std::size_t{note.n_descsz} + 3) & ~std::size_t{3};
      if (left - sizeof note < name || left - sizeof note - name < text) break;
      const char *owner = at + sizeof note;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(owner, "GNU", 4) == 0) {
        object.build_id_bytes = note.n_descsz < sizeof object.build_id ? note.n_descsz : sizeof object.build_id;
        memcpy(object.build_id, owner + name, object.build_id_bytes);
        return;
      }
      at += sizeof note + name + text;
      left -= sizeof note + name + text;
    }
  }
}

bool lies_in(const dl_phdr_info &info, std::uintptr_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    const std::uintptr_t start = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address - start < segment.p_memsz) return true;
  }
  return false;
}

int look_at(dl_phdr_info *info, std::size_t /*bytes*/, void *wanted) {
  auto &search = *static_cast<Search *>(wanted);
  if (!lies_in(*info, search.address - 1)) {
    search.is_program = false;
    return 0;
  }
  const char *name = info->dlpi_name != nullptr ? info->dlpi_name : "";
  search.found = true;
  search.offset = search.address - info->dlpi_addr;
  search.in_binding = !search.is_program && library::belongs_to_mpi(name);
  if (search.in_binding) {
    search.rule = frames::rule_at(*info, search.address);
  } else {
    read_build_id(*info, search.object);
    search.in_python = python_lines::wanted && python_lines::is_extension(name);
    search.object.kind = search.is_program ? RANKWISE_OBJECT_PROGRAM : RANKWISE_OBJECT_LIBRARY;
    keep_end(search.object.name, search.is_program ? counters_file::header()->executable : name);
  }
  return 1;
}

// A further record in a section that grows by new ones; nullptr if there is no room.
template <class Record>
Record *next_record(rankwise_section *&section, rankwise_section_kind kind, std::uint32_t first) {
  if (section == nullptr || section->used == section->capacity) {
    const std::uint32_t capacity = section == nullptr ? first : section->capacity * 2;
    rankwise_section *next =
        counters_file::add_section(kind, sizeof(Record), capacity, RANKWISE_NO_THREAD, counters_file::Need::ordinary);
    if (next == nullptr) return nullptr;
    section = next;
  }
  return static_cast<Record *>(counters_file::records(section)) + section->used;
}

// Index of the object's record, made if it is new; false if there is no room for it.
bool object_of(const rankwise_object &object, std::uint32_t &index) {
  for (index = 0; index < object_count; ++index) {
    if (memcmp(objects[index], &object, sizeof object) == 0) return true;
  }
  if (object_count == RANKWISE_MOST_OBJECTS) return false;
  auto *record = next_record<rankwise_object>(object_section, RANKWISE_SECTION_OBJECTS, 14);
  if (record == nullptr) return false;
  *record = object;
  objects[object_count++] = record;
  counters_file::publish(object_section);
  return true;
}

std::uint32_t site_of(const rankwise_object &in, std::uint64_t offset) {
  std::uint32_t object = 0;
  if (!object_of(in, object)) return RANKWISE_SITE_UNKNOWN;
  for (std::uint32_t i = 0; i < site_count; ++i) {
    if (sites[i].object == object && sites[i].offset == offset) return RANKWISE_FIRST_SITE + i;
  }
  if (site_count == RANKWISE_MOST_SITES) return RANKWISE_SITE_UNKNOWN;
  auto *record = next_record<rankwise_site>(site_section, RANKWISE_SECTION_SITES, 128);
  if (record == nullptr) return RANKWISE_SITE_UNKNOWN;
  *record = {offset, object, 0};
  counters_file::publish(site_section);
  sites[site_count] = {object, offset};
  return RANKWISE_FIRST_SITE + site_count++;
}

std::uint32_t site_in_python(const char *source, int line) {
  rankwise_object object{};
  object.kind = RANKWISE_OBJECT_PYTHON;
  keep_end(object.name, source);
  const Guard guard(lock);
  const std::uint32_t site = site_of(object, static_cast<std::uint64_t>(line));
  if (site == RANKWISE_SITE_UNKNOWN) counters_file::drop(RANKWISE_DROPPED_SITE_ROWS);
  return site;
}

// Asks the loader about an address that has not been seen before. nullptr if there is no room for more.
//
// RATIONALE: not with our lock held: whoever has the loader's might wait for ours.
[[gnu::cold, gnu::noinline]] const Place *learn(std::uintptr_t address) {
  if (place_count.load(std::memory_order_relaxed) == most_places) return nullptr;
  Search search{};
  search.address = address;
  dl_iterate_phdr(look_at, &search);
  const Guard guard(lock);
  if (const Place *place = known(address)) return place;  // another thread was here first
  const unsigned number = place_count.load(std::memory_order_relaxed);
  if (number == most_places) return nullptr;
  Place &place = places[number];
  place.address.store(0, std::memory_order_relaxed);
  place.rule = search.rule;
  place.kind = search.in_binding ? Place::Kind::in_binding : Place::Kind::told;
  place.site = RANKWISE_SITE_UNKNOWN;
  if (search.found && !search.in_binding) {
    place.site = site_of(search.object, search.offset);
    if (place.site == RANKWISE_SITE_UNKNOWN) place.kind = Place::Kind::no_room;
    if (search.in_python) place.kind = Place::Kind::in_python;
  }
  place.address.store(address, std::memory_order_release);
  place_count.store(number + 1, std::memory_order_relaxed);
  slot_of(address).store(static_cast<std::uint16_t>(number), std::memory_order_release);
  return &place;
}

}  // namespace

std::uint32_t find(frames::Frame call) {
  for (int i = 0; i <= most_bindings; ++i) {
    const Place *place = known(call.address);
    if (place == nullptr) place = learn(call.address);
    if (place == nullptr || place->kind == Place::Kind::no_room) {
      counters_file::drop(RANKWISE_DROPPED_SITE_ROWS);
      break;
    }
    if (place->kind == Place::Kind::told) return place->site;
    if (place->kind == Place::Kind::in_python) return python_lines::site(site_in_python, place->site);
    if (!frames::step(place->rule, call)) break;
  }
  return RANKWISE_SITE_UNKNOWN;
}

void start() {
  const char *wish = std::getenv("RANKWISE_SITES");
  wanted = wish == nullptr || strcmp(wish, "off") != 0;
  python_lines::wanted = wish != nullptr && strcmp(wish, "python") == 0;
}

void forget() {
  Callers::forget();
  const Guard guard(lock);
  for (std::atomic<std::uint16_t> &number : places_by_address) number.store(0, std::memory_order_release);
  place_count.store(1, std::memory_order_relaxed);
}

}  // namespace rankwise::call_sites
