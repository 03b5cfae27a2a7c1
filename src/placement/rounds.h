// A search that visits ranks in rounds: first all, then the ranks that moved and their partners.
#ifndef RANKWISE_PLACEMENT_ROUNDS_H
#define RANKWISE_PLACEMENT_ROUNDS_H

#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "random.h"
#include "traffic.h"

namespace rankwise::placement {

// The ranks that have changed their places; -1 = none.
struct Moved {
  Index rank = -1;
  Index other = -1;
};

// Calls improve(rank), which returns the moved ranks, or nothing to end the search.
template <class Improve>
void in_rounds(const Traffic &traffic, std::size_t ranks, int rounds, Random &random, Improve improve) {
  Indices queue(ranks);
  std::iota(queue.begin(), queue.end(), 0);
  random.shuffle(queue);
  std::vector<std::uint8_t> queued(ranks, 1);
  for (int round = 0; round < rounds && !queue.empty(); round++) {
    Indices next;
    const auto again = [&](Index rank) {
      if (queued[rank]) return;
      queued[rank] = 1;
      next.push_back(rank);
    };
    for (const Index rank : queue) {
      queued[rank] = 0;
      const std::optional<Moved> step = improve(rank);
      if (!step) return;
      for (const Index moved : {step->rank, step->other}) {
        if (moved < 0) continue;
        again(moved);
        for (std::size_t i = traffic.rows.first(moved); i < traffic.rows.last(moved); i++)
          again(traffic.rows.adjacent[i]);
      }
    }
    queue = std::move(next);
  }
}

}  // namespace rankwise::placement

#endif
