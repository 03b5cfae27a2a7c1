// The slots of a machine, filled in from left to right.
#ifndef RANKWISE_MACHINE_SLOTS_H
#define RANKWISE_MACHINE_SLOTS_H

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "field.h"

namespace rankwise::machine {

// As in include/rankwise/machine.h.
class Slots {
 public:
  Slots(int levels, int node_level)
      : levels_(levels), node_(node_level), latest_(static_cast<std::size_t>(levels), -1) {
    latest_[0] = 0;  // the machine is one
  }

  // An object of a level, below one of level `above`.
  void enter(int above, int level) {
    for (int i = above + 1; i <= level; i++) latest_[static_cast<std::size_t>(i)]++;
  }
  // Adds the object of this level that was entered last as a slot.
  void add(int level, std::int64_t processor) {
    enter(level, levels_ - 1);
    objects.insert(objects.end(), latest_.begin(), latest_.end());
    processors.push_back(static_cast<std::int32_t>(processor));
    nodes.push_back(latest_[static_cast<std::size_t>(node_)]);
  }
  // False if the name already exists.
  [[nodiscard]] bool add_host(const std::string &name) {
    if (!known_.insert(name).second) return false;
    hosts.push_back(name);
    return true;
  }

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(nodes.size()); }
  [[nodiscard]] int levels() const { return levels_; }
  [[nodiscard]] int node_level() const { return node_; }

  std::vector<std::int32_t> objects;
  std::vector<std::int32_t> processors;
  std::vector<std::int32_t> nodes;
  std::vector<std::string> hosts;

 private:
  int levels_;
  int node_;
  std::vector<std::int32_t> latest_;  // number of the object of each level that was entered last
  std::unordered_set<std::string> known_;
};

// The slots of a machine.json; a problem names the file's place that is wrong.
Slots read_slots(const char *path);

// The two forms: a list of levels with their counts, and a tree. `names` has the names of the levels, the machine's
// first.
void add_regular(const std::vector<Field> &levels, Slots &slots);
void add_tree(const Field &file, const std::vector<std::string> &names, Slots &slots);

}  // namespace rankwise::machine

#endif
