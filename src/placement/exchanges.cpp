#include "exchanges.h"

#include <algorithm>

namespace rankwise::placement {

Indices slots_of(const Machine &machine, const Indices &place) {
  Indices slot(place.size());
  std::transform(place.begin(), place.end(), slot.begin(), [&](Index at) { return machine.slot(at); });
  return slot;
}

Exchanges::Exchanges(const Traffic &traffic, const Links &links, const Machine &machine, Indices &place)
    : traffic_(traffic),
      machine_(machine),
      place_(place),
      occupant_(machine.slots(), -1),
      loads_(traffic, links, slots_of(machine, place)) {
  for (std::size_t rank = 0; rank < place.size(); rank++) occupant_[place[rank]] = static_cast<Index>(rank);
}

void Exchanges::swap(Index rank, Index place) {
  const Index other = occupant_[place];
  begin();
  add(rank, place);
  if (other >= 0 && other != rank) add(other, place_[rank]);
  end();
}

void Exchanges::swap_objects(Index first, Index second, Index count) {
  begin();
  for (Index i = 0; i < count; i++) {
    if (occupant_[first + i] >= 0) add(occupant_[first + i], second + i);
    if (occupant_[second + i] >= 0) add(occupant_[second + i], first + i);
  }
  end();
}

void Exchanges::undo() {
  for (const Index place : after_) occupant_[place] = -1;
  for (std::size_t i = 0; i < ranks_.size(); i++) put(ranks_[i], before_[i]);
  loads_.undo();
}

double Exchanges::cost_of_last() const {
  double sum = 0;
  for (const Index rank : ranks_) {
    const Index group = machine_.group(place_[rank]);
    for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++)
      sum += machine_.between(group, machine_.group(place_[traffic_.rows.adjacent[i]]))
                 .of(traffic_.bytes[i], traffic_.messages.empty() ? 0 : traffic_.messages[i]);
  }
  return sum;
}

void Exchanges::begin() {
  ranks_.clear();
  before_.clear();
  after_.clear();
  moves_.clear();
}

void Exchanges::add(Index rank, Index place) {
  ranks_.push_back(rank);
  before_.push_back(place_[rank]);
  after_.push_back(place);
  moves_.emplace_back(rank, machine_.slot(place));
}

void Exchanges::end() {
  for (const Index place : before_) occupant_[place] = -1;
  for (std::size_t i = 0; i < ranks_.size(); i++) put(ranks_[i], after_[i]);
  loads_.move(moves_);
}

void Exchanges::put(Index rank, Index place) {
  place_[rank] = place;
  occupant_[place] = rank;
  work_ += 2 * (traffic_.rows.last(rank) - traffic_.rows.first(rank)) + 1;
}

}  // namespace rankwise::placement
