#include "traffic.h"

#include <algorithm>
#include <numeric>

namespace rankwise::placement {

namespace {

// The entries of each rank, as sender or receiver.
struct Entries {
  std::vector<std::size_t> begin;
  std::vector<std::int64_t> entry;
};

Entries entries_of(const rankwise_traffic &given) {
  Entries entries;
  entries.begin.assign(static_cast<std::size_t>(given.ranks) + 1, 0);
  for (std::int64_t i = 0; i < given.entries; i++) {
    entries.begin[given.source[i] + 1]++;
    if (given.destination[i] != given.source[i]) entries.begin[given.destination[i] + 1]++;
  }
  std::partial_sum(entries.begin.begin(), entries.begin.end(), entries.begin.begin());
  std::vector<std::size_t> next(entries.begin.begin(), entries.begin.end() - 1);
  entries.entry.resize(entries.begin.back());
  for (std::int64_t i = 0; i < given.entries; i++) {
    entries.entry[next[given.source[i]]++] = i;
    if (given.destination[i] != given.source[i]) entries.entry[next[given.destination[i]]++] = i;
  }
  return entries;
}

}  // namespace

Traffic symmetric(const rankwise_traffic &given) {
  const Entries entries = entries_of(given);
  Traffic made;
  std::vector<std::size_t> place(given.ranks, 0);
  for (Index rank = 0; rank < given.ranks; rank++) {
    const std::size_t start = made.rows.adjacent.size();
    for (std::size_t i = entries.begin[rank]; i < entries.begin[rank + 1]; i++) {
      const std::int64_t entry = entries.entry[i];
      const Index other = given.source[entry] == rank ? given.destination[entry] : given.source[entry];
      if (other == rank) continue;
      std::size_t &at = place[other];
      if (at < start || at >= made.rows.adjacent.size() || made.rows.adjacent[at] != other) {
        at = made.rows.adjacent.size();
        made.rows.adjacent.push_back(other);
        made.bytes.push_back(0);
        made.sent.push_back(0);
        if (given.messages) made.messages.push_back(0);
      }
      made.bytes[at] += given.bytes[entry];
      if (given.source[entry] == rank) made.sent[at] += given.bytes[entry];
      if (given.messages) made.messages[at] += given.messages[entry];
    }
    made.rows.begin.push_back(made.rows.adjacent.size());
  }
  return made;
}

}  // namespace rankwise::placement
