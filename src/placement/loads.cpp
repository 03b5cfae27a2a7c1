#include "loads.h"

#include <utility>

namespace rankwise::placement {

Loads::Loads(const Traffic &traffic, const Links &links, Indices slot)
    : traffic_(traffic), links_(links), slot_(std::move(slot)), load_(links.count(), 0) {
  while (leaves_ < static_cast<std::size_t>(links.count())) leaves_ *= 2;
  tree_.assign(2 * leaves_, -1);
  for (Index link = 0; link < links.count(); link++) tree_[leaves_ + link] = link;
  for (std::size_t at = leaves_ - 1; at > 0; at--) decide(at);
  for (Index rank = 0; rank < traffic.rows.size(); rank++)
    for (std::size_t i = traffic.rows.first(rank); i < traffic.rows.last(rank); i++)
      if (traffic.rows.adjacent[i] > rank) add_pair(rank, i, 1);
}

void Loads::move(Index rank, Index slot) {
  for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) add_pair(rank, i, -1);
  slot_[rank] = slot;
  for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) add_pair(rank, i, 1);
}

void Loads::add_pair(Index rank, std::size_t entry, double sign) {
  find_way(rank, entry, way_);
  for (const Step &step : way_) add(step.link, sign * step.share * traffic_.bytes[entry]);
}

void Loads::find_way(Index rank, std::size_t entry, Way &way) const {
  way.clear();
  const double bytes = traffic_.bytes[entry];
  if (bytes > 0) links_.find_way(slot_[rank], slot_[traffic_.rows.adjacent[entry]], traffic_.sent[entry] / bytes, way);
}

void Loads::add(Index link, double load) {
  const double before = load_[link], after = before + load * links_.per_byte(link);
  load_[link] = after;
  squares_ += (after - before) * (after + before);
  for (std::size_t at = (leaves_ + link) / 2; at > 0; at /= 2) decide(at);
}

void Loads::decide(std::size_t at) {
  const Index one = tree_[2 * at], other = tree_[2 * at + 1];
  tree_[at] = other >= 0 && (one < 0 || load_[other] > load_[one]) ? other : one;
}

}  // namespace rankwise::placement
