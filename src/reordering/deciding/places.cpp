#include "places.h"

#include <cstring>
#include <string>
#include <unordered_map>

namespace rankwise::reordering {

std::string host_of(const rankwise_whereabouts &where) { return {where.host, strnlen(where.host, sizeof where.host)}; }

Places places_of(const rankwise_whereabouts *where, std::int32_t processes) {
  Places places;
  places.depth = 6;
  std::unordered_map<std::string, std::int32_t> nodes;
  for (std::int32_t i = 0; i < processes; i++) {
    const rankwise_whereabouts &here = where[i];
    const std::int32_t node = nodes.emplace(host_of(here), static_cast<std::int32_t>(nodes.size())).first->second;
    // Of one that is in several, nothing is known to be near but what is in the same object around them: it gets one
    // of its own.
    const std::int32_t own = -1 - i;
    const auto known = [own](std::int32_t number) { return number < 0 ? own : number; };
    // Each is a slot of its own, also where several share a core.
    places.object.insert(places.object.end(),
                         {node, known(here.package), known(here.numa), known(here.l3), known(here.core), i});
  }
  places.per_byte = hops(places.object, places.depth);
  return places;
}

}  // namespace rankwise::reordering
