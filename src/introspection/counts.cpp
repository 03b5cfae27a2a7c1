#include "counts.h"

#include <cstdlib>
#include <cstring>

#include "../runtime/keys.h"
#include "../runtime/logical.h"
#include "sections.h"

namespace rankwise::introspection {
namespace {

// The part of a row that was sent by this process.
//
// A fetch is a message of 0 bytes to the target, which requests the data. For MPI_Get_accumulate and similar calls, the
// row of the data that is put already includes it.
struct Sent {
  Category category;
  Count count;
  bool any = true;

  explicit Sent(const rankwise_messages &row) : category(user), count{now(row.messages), now(row.bytes)} {
    switch (keys::message_kind(row.key)) {
      case RANKWISE_MESSAGE_POINT_TO_POINT:
        return;
      case RANKWISE_MESSAGE_IN_COLLECTIVE:
        category = inside;
        return;
      case RANKWISE_MESSAGE_ONE_SIDED:
        category = one_sided;
        return;
      default: {
        const Procedure procedure = keys::message_procedure(row.key);
        category = one_sided;
        count.bytes = 0;
        any = procedure == Procedure::MPI_Get || procedure == Procedure::MPI_Rget;
      }
    }
  }
};

bool has(int flags, Category category) {
  static constexpr int flags_of[categories] = {p2p_only | user_only, p2p_only | inside_only, osc_only, coll_only};
  return (flags & flags_of[category]) != 0;
}

}  // namespace

bool Counts::create(int members) {
  size_ = static_cast<std::size_t>(members);
  counts_ = static_cast<Count *>(std::calloc(categories * size_, sizeof(Count)));
  return counts_ != nullptr;
}

void Counts::destroy() {
  std::free(counts_);
  counts_ = nullptr;
}

void Counts::clear() { memset(counts_, 0, categories * size_ * sizeof(Count)); }

void Counts::sum(int flags, Count *by_member) const {
  memset(by_member, 0, size_ * sizeof(Count));
  for (int category = 0; category < categories; ++category) {
    if (!has(flags, static_cast<Category>(category))) continue;
    const Count *from = counts_ + static_cast<std::size_t>(category) * size_;
    for (std::size_t i = 0; i < size_; ++i) {
      by_member[i].messages += from[i].messages;
      by_member[i].bytes += from[i].bytes;
    }
  }
}

// One pass over the rows, and one over the members.
void Counts::count(const Members &members, std::uint64_t sign) {
  for_each_record<rankwise_messages>(RANKWISE_SECTION_MESSAGES, [&](const rankwise_messages &row) {
    const Sent sent(row);
    const int member = sent.any ? members.member(keys::message_peer(row.key)) : -1;
    if (member < 0) return;
    Count &to = at(sent.category, member);
    to.messages += sign * sent.count.messages;
    to.bytes += sign * sent.count.bytes;
  });
  const Guard guard(rankwise::logical::lock);
  const rankwise::logical::Total *totals = rankwise::logical::settled();
  for (int i = 0; totals != nullptr && i < members.size(); ++i) {
    const int rank = members.world_rank(i);
    if (rank < 0) continue;
    Count &to = at(logical, i);
    to.messages += sign * totals[rank].messages;
    to.bytes += sign * totals[rank].bytes;
  }
}

}  // namespace rankwise::introspection
