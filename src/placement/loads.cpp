#include "loads.h"

#include <algorithm>
#include <utility>

namespace rankwise::placement {

namespace {

constexpr std::size_t kFewChanges = 16;  // fewer than one in so many links: update only their matches of the tournament

}  // namespace

Loads::Loads(const Traffic &traffic, const Links &links, Indices slot)
    : traffic_(traffic), links_(links), slot_(std::move(slot)), load_(links.count(), 0), is_changed_(links.count(), 0) {
  while (leaves_ < static_cast<std::size_t>(links.count())) leaves_ *= 2;
  tree_.assign(2 * leaves_, -1);
  for (Index link = 0; link < links.count(); link++) tree_[leaves_ + link] = link;
  for (Index rank = 0; rank < traffic.rows.size(); rank++)
    for (std::size_t i = traffic.rows.first(rank); i < traffic.rows.last(rank); i++)
      if (traffic.rows.adjacent[i] > rank) add_pair(rank, i, 1);
  for (const double load : load_) squares_ += load * load;
  for (std::size_t at = leaves_ - 1; at > 0; at--) decide(at);
  before_.clear();
  std::fill(is_changed_.begin(), is_changed_.end(), 0);
}

void Loads::move(const Moves &moves) {
  slots_before_.clear();
  before_.clear();
  squares_before_ = squares_;
  for (const auto &[rank, slot] : moves) {
    slots_before_.emplace_back(rank, slot_[rank]);
    for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) add_pair(rank, i, -1);
    slot_[rank] = slot;
    for (std::size_t i = traffic_.rows.first(rank); i < traffic_.rows.last(rank); i++) add_pair(rank, i, 1);
  }
  for (const Before &changed : before_) {
    is_changed_[changed.link] = 0;
    const double after = load_[changed.link];
    squares_ += (after - changed.load) * (after + changed.load);
  }
  settle();
}

void Loads::undo() {
  for (const auto &[rank, slot] : slots_before_) slot_[rank] = slot;
  for (const Before &changed : before_) load_[changed.link] = changed.load;
  squares_ = squares_before_;
  settle();
}

void Loads::add_pair(Index rank, std::size_t entry, double sign) {
  const double bytes = sign * traffic_.bytes[entry];
  each_step(rank, entry, [&](Index link, double share) {
    if (!is_changed_[link]) {
      is_changed_[link] = 1;
      before_.push_back({link, load_[link]});
    }
    load_[link] += bytes * share * links_.per_byte(link);
  });
}

// Finds the most loaded link again.
void Loads::settle() {
  if (before_.size() * kFewChanges > load_.size()) {
    for (std::size_t at = leaves_ - 1; at > 0; at--) decide(at);
    return;
  }
  for (const Before &changed : before_)
    for (std::size_t at = (leaves_ + changed.link) / 2; at > 0; at /= 2) decide(at);
}

void Loads::decide(std::size_t at) {
  const Index left = tree_[2 * at], right = tree_[2 * at + 1];
  tree_[at] = right >= 0 && (left < 0 || load_[right] > load_[left]) ? right : left;
}

}  // namespace rankwise::placement
