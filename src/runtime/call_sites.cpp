#include "call_sites.h"

#include <cstdlib>
#include <cstring>

#include "call_paths.h"
#include "callers.h"
#include "counters_file.h"
#include "lock.h"
#include "objects.h"
#include "python_lines.h"

namespace rankwise::call_sites {
namespace {

constexpr int most_bindings = 4;  // one that calls another, and so on

Lock lock;

struct Site {
  std::uint32_t object;
  std::uint64_t offset;
};
Site sites[RANKWISE_MOST_SITES];
std::uint32_t site_count = 0;
rankwise_section *site_section = nullptr;

std::uint32_t site_of(const rankwise_object &in, std::uint64_t offset) {
  std::uint32_t object = 0;
  if (!objects::index_of(in, object)) return RANKWISE_SITE_UNKNOWN;
  for (std::uint32_t i = 0; i < site_count; ++i) {
    if (sites[i].object == object && sites[i].offset == offset) return RANKWISE_FIRST_SITE + i;
  }
  if (site_count == RANKWISE_MOST_SITES) return RANKWISE_SITE_UNKNOWN;
  auto *record = counters_file::next_record<rankwise_site>(site_section, RANKWISE_SECTION_SITES, 128);
  if (record == nullptr) return RANKWISE_SITE_UNKNOWN;
  *record = {offset, object, 0};
  counters_file::publish(site_section);
  sites[site_count] = {object, offset};
  return RANKWISE_FIRST_SITE + site_count++;
}

std::uint32_t site_in_python(const char *source, int line) {
  const rankwise_object object = objects::of_python(source);
  const Guard guard(lock);
  const std::uint32_t site = site_of(object, static_cast<std::uint64_t>(line));
  if (site == RANKWISE_SITE_UNKNOWN) counters_file::drop(RANKWISE_DROPPED_SITE_ROWS);
  return site;
}

// Asks the loader about an address that has not been seen before. nullptr if there is no room for more.
[[gnu::cold, gnu::noinline]] const Place *learn(std::uintptr_t address) {
  if (places.is_full()) return nullptr;
  const objects::Where where = objects::find(address);
  const Guard guard(lock);
  if (const Place *place = places.find(address)) return place;  // another thread was faster
  if (places.is_full()) return nullptr;
  Place place;
  place.rule = where.rule;
  if (where.role == objects::Role::binding) {
    place.kind = Place::Kind::in_binding;
  } else if (where.role != objects::Role::none) {
    place.site = site_of(where.object, where.offset);
    if (place.site == RANKWISE_SITE_UNKNOWN) place.kind = Place::Kind::no_room;
    if (python_lines::wanted && where.role == objects::Role::extension) place.kind = Place::Kind::in_python;
  }
  return places.add(address, place);
}

}  // namespace

std::uint32_t find(frames::Frame call) {
  for (int i = 0; i <= most_bindings; ++i) {
    const Place *place = places.find(call.address);
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
  call_paths::start();
}

void forget() {
  Callers::forget();
  call_paths::forget();
  const Guard guard(lock);
  places.clear();
}

}  // namespace rankwise::call_sites
