#include "kinds.h"

#include <map>
#include <utility>

namespace rankwise::placement {

Indices kinds(const Machine &machine, const Indices &begins) {
  std::map<Indices, Index> known;
  Indices kind;
  for (std::size_t i = 0; i + 1 < begins.size(); i++) {
    Indices steps;
    for (Index place = begins[i]; place < begins[i + 1]; place++)
      steps.push_back(place == begins[i] ? 0 : machine.common(machine.group(place - 1), machine.group(place)));
    kind.push_back(known.try_emplace(std::move(steps), static_cast<Index>(known.size())).first->second);
  }
  return kind;
}

}  // namespace rankwise::placement
