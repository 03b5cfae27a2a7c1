// The 64 bits with which MPICH and Intel MPI match messages over libfabric: the tag, the context, and marks above.
#ifndef RANKWISE_HOOKS_MPICH_MATCH_BITS_H
#define RANKWISE_HOOKS_MPICH_MATCH_BITS_H

#include <cstdint>
#include <cstdio>

#include "../../hash.h"
#include "../../inside/inside.h"
#include "mpich_calls.h"

namespace rankwise::libfabric {

// From the lowest bit: the tag, 20 bits of context, Intel MPI's 20 bits of the sender's rank, then marks: for the
// acknowledgement of a synchronous send, for such a send, and for other kinds of transfers.
class MatchBits {
 public:
  constexpr MatchBits() = default;

  // For a library with this name, whose largest tag (MPI_TAG_UB) is this; see known().
  MatchBits(const char *library, int largest_tag) {
    const auto tags = static_cast<unsigned>(largest_tag) + 1;
    if (largest_tag <= 0 || (tags & (tags - 1)) != 0) return;
    int version = 0;
    const unsigned tag_bits = static_cast<unsigned>(__builtin_ctz(tags)) + 1;
    if (std::sscanf(library, "Intel(R) MPI Library %d.", &version) == 1 && version == 2021) {
      set(tag_bits, context_bits + rank_bits, 1);
      is_intel_ = true;
    } else if (std::sscanf(library, "MPICH Version: %d.", &version) == 1 && version >= 4 && version <= 5) {
      set(tag_bits, context_bits, version == 5 ? 3 : 1);
    }
  }

  bool known() const { return tag_bits_ != 0; }
  bool is_intel() const { return is_intel_; }

  // The lowest bit of the context distinguishes the library's own messages from the program's.
  bool is_own(std::uint64_t bits) const { return (bits >> tag_bits_ & 1) != 0; }
  bool is_acknowledgement(std::uint64_t bits) const { return (bits & acknowledgement_) != 0; }

  // Whether libfabric gets the message itself: not the announcement of a message that the receiver fetches.
  bool is_whole(std::uint64_t bits) const { return (bits & ~plain_) == 0; }

  // Blocking collectives have fixed tags; from here on, each operation has its own. The other low bits of a context
  // distinguish the library's internal communicators (the processes of a node, ...) from the communicator for which
  // they are made. In MPICH an operation's tag belongs to the latter; in Intel MPI each of them counts separately.
  inside::Operation operation(std::uint64_t bits) const {
    const std::uint64_t number = bits & number_;
    if (number < first_operation_tag || (number & group_mark_) != 0) return {0};
    const std::uint64_t context = (bits & context_) >> tag_bits_;
    return {chain(context, number), chain(is_intel_ ? context : context & ~below_mask, number)};
  }

 private:
  static constexpr unsigned context_bits = 20;
  static constexpr unsigned rank_bits = 20;
  static constexpr std::uint64_t first_operation_tag = 287;
  static constexpr std::uint64_t below_mask = 0xE;  // of a context

  static constexpr std::uint64_t below(unsigned bit) { return (std::uint64_t{1} << bit) - 1; }

  void set(unsigned tag_bits, unsigned other_bits, unsigned synchronous) {
    const unsigned first_mark = tag_bits + other_bits;
    if (first_mark + synchronous > 63) return;
    tag_bits_ = tag_bits;
    context_ = below(tag_bits + context_bits) & ~below(tag_bits);
    acknowledgement_ = std::uint64_t{1} << first_mark;
    plain_ = below(first_mark) | acknowledgement_ << synchronous;
    // The two highest bits of a tag report an error to others; the next marks the tag of MPI_Comm_create_group.
    number_ = below(tag_bits - 2);
    group_mark_ = std::uint64_t{1} << (tag_bits - 3);
  }

  unsigned tag_bits_ = 0;
  bool is_intel_ = false;
  std::uint64_t context_ = 0;
  std::uint64_t acknowledgement_ = 0;
  std::uint64_t plain_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t group_mark_ = 0;
};

// Whether the first messages match the call that is running when they are sent. A call may also progress operations
// that others have begun, so a few may not.
class Votes {
 public:
  bool wanted() const { return __atomic_load_n(&left_, __ATOMIC_RELAXED) > 0; }

  void hear(Procedure running, bool is_own) {
    const bool program_sends = mpich_calls::is_plain_send(running);
    if (!program_sends && !mpich_calls::sends_nothing_for_the_program(running)) return;
    __atomic_fetch_sub(&left_, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(program_sends == is_own ? &against_ : &for_, 1, __ATOMIC_RELAXED);
  }

  bool lost() const {
    const int against = __atomic_load_n(&against_, __ATOMIC_RELAXED);
    return against > few && against > __atomic_load_n(&for_, __ATOMIC_RELAXED);
  }

 private:
  static constexpr int few = 4;
  int left_ = 64;
  int for_ = 0;
  int against_ = 0;
};

}  // namespace rankwise::libfabric

#endif
