// The short form: a regular tree, given by its levels' counts.
#include "hosts.h"
#include "slots.h"

namespace rankwise::machine {

namespace {

std::vector<std::string> hosts_of_level(const Field &level, std::int64_t count) {
  std::vector<std::string> hosts;
  if (!level.has("names")) {
    for (std::int64_t i = 0; i < count; i++) hosts.push_back("node" + std::to_string(i));
    return hosts;
  }
  const Field names = level["names"];
  if (names.is_text()) {
    const std::string list = names.text();
    try {
      hosts = hosts_of(list);
    } catch (const Problem &problem) {
      throw names.problem(problem.what());
    }
  } else {
    for (const Field &name : names.items()) hosts.push_back(name.name());
  }
  if (static_cast<std::int64_t>(hosts.size()) != count)
    throw names.problem("must be " + std::to_string(count) + ", one for each node, not " +
                        std::to_string(hosts.size()));
  return hosts;
}

// Adds all objects of a level in one object of the level above, and their contents.
void fill(const std::vector<std::int64_t> &counts, int level, Slots &slots) {
  const auto last = static_cast<int>(counts.size());
  for (std::int64_t i = 0; i < counts[static_cast<std::size_t>(level) - 1]; i++) {
    slots.enter(level - 1, level);
    if (level == last)
      slots.add(level, -1);
    else
      fill(counts, level + 1, slots);
  }
}

}  // namespace

void add_regular(const std::vector<Field> &levels, Slots &slots) {
  std::vector<std::int64_t> counts;
  std::int64_t total = 1;
  for (const Field &level : levels) {
    counts.push_back(level["count"].whole(1));
    total *= counts.back();
    if (total > kMostObjects)
      throw level["count"].problem("there must be at most " + std::to_string(kMostObjects) + " objects of a level");
    const bool is_node = static_cast<int>(counts.size()) == slots.node_level();
    if (level.has("names") && !is_node)
      throw level["names"].problem("only the level \"node\" can have names here; use a `tree`");
    if (!is_node) continue;
    for (const std::string &host : hosts_of_level(level, total))
      if (!slots.add_host(host)) throw level["names"].problem("'" + host + "' is given twice");
  }
  fill(counts, 1, slots);
}

}  // namespace rankwise::machine
