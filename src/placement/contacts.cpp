#include "contacts.h"

#include <algorithm>

namespace rankwise::placement {

Contacts::Contacts(const Graph &graph, const Indices &part, Index parts)
    : graph_(graph), begin_(static_cast<std::size_t>(graph.size()) + 1, 0), count_(graph.size(), 0) {
  for (Index v = 0; v < graph.size(); v++)
    begin_[v + 1] = begin_[v] + std::min<std::size_t>(graph.rows.last(v) - graph.rows.first(v), parts);
  contacts_.resize(begin_.back());
  for (Index v = 0; v < graph.size(); v++)
    for (std::size_t i = graph.rows.first(v); i < graph.rows.last(v); i++)
      add(v, part[graph.rows.adjacent[i]], graph.weight[i]);
}

void Contacts::move(Index v, Index from, Index to) {
  for (std::size_t i = graph_.rows.first(v); i < graph_.rows.last(v); i++) {
    remove(graph_.rows.adjacent[i], from, graph_.weight[i]);
    add(graph_.rows.adjacent[i], to, graph_.weight[i]);
  }
}

void Contacts::add(Index v, Index part, double weight) {
  const auto begin = contacts_.begin() + static_cast<std::ptrdiff_t>(begin_[v]), end = begin + count_[v];
  const auto known = std::find_if(begin, end, [part](const Contact &contact) { return contact.part == part; });
  if (known == end) {
    *end = {part, 1, weight};
    count_[v]++;
    return;
  }
  known->edges++;
  known->weight += weight;
}

void Contacts::remove(Index v, Index part, double weight) {
  const auto begin = contacts_.begin() + static_cast<std::ptrdiff_t>(begin_[v]), end = begin + count_[v];
  const auto known = std::find_if(begin, end, [part](const Contact &contact) { return contact.part == part; });
  known->edges--;
  known->weight -= weight;
  if (known->edges > 0) return;
  *known = *(end - 1);
  count_[v]--;
}

}  // namespace rankwise::placement
