// The messages of this process to each member of a communicator: differences of the counters that the profile uses.
#ifndef RANKWISE_INTROSPECTION_COUNTS_H
#define RANKWISE_INTROSPECTION_COUNTS_H

#include <cstddef>
#include <cstdint>

#include "members.h"

namespace rankwise::introspection {

// The origin of a message.
enum Category { user, inside, one_sided, logical, categories };

struct Count {
  std::uint64_t messages;
  std::uint64_t bytes;
};

// Maps the flags of MPI_Monitoring.h to categories.
enum Flags { p2p_only = 1, coll_only = 2, osc_only = 4, user_only = 8, inside_only = 16, all_flags = 31 };

// One count for each category and member.
class Counts {
 public:
  // False if memory is exhausted.
  bool create(int members);
  void destroy();
  void clear();

  // Adds or subtracts everything counted so far.
  void add(const Members &members) { count(members, 1); }
  void subtract(const Members &members) { count(members, ~std::uint64_t{0}); }

  // Sums over the categories of some flags, by member.
  void sum(int flags, Count *by_member) const;

 private:
  void count(const Members &members, std::uint64_t sign);
  Count &at(Category category, int member) {
    return counts_[static_cast<std::size_t>(category) * size_ + static_cast<std::size_t>(member)];
  }

  Count *counts_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rankwise::introspection

#endif
