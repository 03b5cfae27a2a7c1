// Parts of a machine: objects, some of them equivalent, so that ranks can move from one to another.
#ifndef RANKWISE_PLACEMENT_PARTS_H
#define RANKWISE_PLACEMENT_PARTS_H

#include "graph.h"
#include "rankwise/placement.h"

namespace rankwise::placement {

// Objects of each level, counted from 0, from left to right. Level 0 is the whole, then come the columns of
// rankwise_slots.object, and the last one has a slot in each object.
class Parts {
 public:
  // The objects of the first `fixed` columns have no equivalents.
  Parts(const rankwise_slots &slots, int fixed);

  [[nodiscard]] int last() const { return static_cast<int>(object_.size()) - 1; }
  [[nodiscard]] Index count(int level) const { return static_cast<Index>(parent_[level].size()); }
  // The object of a slot, by the caller's number.
  [[nodiscard]] Index object(int level, Index slot) const { return object_[level][slot]; }
  // The caller's number of an object of the last level.
  [[nodiscard]] Index slot(Index object) const { return order_[object]; }
  // At the level above.
  [[nodiscard]] Index parent(int level, Index object) const { return parent_[level][object]; }
  // At the level below; the last one's is where the next object's begin.
  [[nodiscard]] Index first_child(int level, Index object) const;
  // Equal for objects of a level that hold the same, apart from its order.
  [[nodiscard]] Index symmetry_class(int level, Index object) const { return class_[level][object]; }

 private:
  void number(const rankwise_slots &slots);
  void classify(int fixed);
  void classify_level(int level);

  Indices order_;
  std::vector<Indices> object_;  // [level][slot]
  std::vector<Indices> parent_;  // [level][object]
  std::vector<Indices> class_;   // [level][object]
};

}  // namespace rankwise::placement

#endif
