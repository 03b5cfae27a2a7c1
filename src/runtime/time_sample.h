// A sample by time: all events in some stretches of it. The processes of a node have one counter of ticks, so they
// sample the same stretches, without a message, regardless of their numbers until then.
#ifndef RANKWISE_TIME_SAMPLE_H
#define RANKWISE_TIME_SAMPLE_H

#include <bit>
#include <cstdint>

namespace rankwise {

// Stretches of 2^length ticks that begin at each multiple of 2^period ticks. Each has a margin of a quarter before it,
// and some messages after it, at any time.
//
// RATIONALE: powers of two, because a sparser sample on one process is then part of the sample on another one: the
// shortest stretches at the longest period are in the samples of all. The margin is for messages that were posted
// before the call that waits for them. A process that waits at the end of a stretch waits for the other one's next
// post, at any time.
class TimeSample {
 public:
  static constexpr unsigned all = 64;  // the period of the sample that has everything
  static constexpr unsigned shortest = 10;
  static constexpr std::uint64_t wanted = 24;     // messages in a stretch
  static constexpr unsigned much_too_short = 3;   // its length, compared with the wanted one
  static constexpr std::uint64_t stretches = 16;  // with fewer, these get shorter; else every other one is left out
  static constexpr std::uint32_t least_after = 4;
  static constexpr std::uint32_t share_after = 4;  // one for so many in the stretch

  // The place of a message in it: by when it was posted (0), as one after a stretch (1 + the periods since this began).
  static constexpr int not_in_it = -1;
  static constexpr int most_periods = 254;

  // Whether a message that is posted now may be in it.
  [[gnu::always_inline]] constexpr bool may_take(std::uint64_t now) const { return keeps(now) || after_ != 0; }

  constexpr bool keeps(std::uint64_t posted) const { return ((posted + margin_) & mask_) < most_; }

  // The place of a message that is posted now.
  constexpr int take(std::uint64_t now) {
    if (period_ == all) return 0;
    if (keeps(now)) {
      const std::uint64_t stretch = (now + margin_) >> period_;
      if (stretch != stretch_) taken_ = 0;
      stretch_ = stretch;
      ++taken_;
      after_ = taken_ / share_after > least_after ? taken_ / share_after : least_after;
      return 0;
    }
    if (after_ == 0) return not_in_it;
    --after_;
    const std::uint64_t periods = (now >> period_) - stretch_;
    return periods < most_periods ? 1 + static_cast<int>(periods) : not_in_it;
  }

  // The place of a message after the sample was thinned out.
  constexpr int still(int how, std::uint64_t posted, const TimeSample &before) const {
    // (A stretch that can't be thinned out any more ends, so that there is room again.)
    const bool same = period_ == before.period_ && length_ == before.length_;
    if (same || renewed_ != before.renewed_) return not_in_it;
    if (how == 0) return keeps(posted) ? 0 : not_in_it;
    if (period_ == before.period_) return how;
    const std::uint64_t stretch = (posted >> before.period_) - static_cast<unsigned>(how - 1);
    return stretch % 2 != 0 ? not_in_it : 1 + static_cast<int>((posted >> period_) - stretch / 2);
  }

  constexpr unsigned length() const { return length_; }
  constexpr unsigned period() const { return period_; }
  constexpr unsigned renewed() const { return renewed_; }

  // Leaves out about half of it. `messages`: from `first` to `now`, in the sample or not.
  //
  // RATIONALE: a program may begin with a burst of messages. Stretches that were right for it are far too short later,
  // and omitted time can't be recovered: then the sample restarts, with longer stretches.
  constexpr void thin_out(std::uint64_t first, std::uint64_t now, std::uint64_t messages) {
    const std::uint64_t passed = now > first ? now - first : 0;
    const std::uint64_t apart = passed / (messages != 0 ? messages : 1);
    const auto bits = static_cast<unsigned>(std::bit_width(apart * wanted));
    const unsigned length = bits > shortest ? bits : shortest;
    if (period_ == all) {
      length_ = length;
      period_ = length + 1;
    } else if (length >= length_ + much_too_short) {
      ++renewed_;
      since_ = now;
      after_ = taken_ = 0;
      length_ = length;
      const auto whole = static_cast<unsigned>(std::bit_width(passed / stretches));
      period_ = whole > length ? whole : length + 1;
    } else if (period_ < all - 1 &&
               (length_ == shortest || (now - (since_ > first ? since_ : first)) >> period_ >= stretches)) {
      ++period_;
      if (stretch_ % 2 != 0) after_ = 0;
      stretch_ /= 2;
    } else if (length_ > shortest) {
      --length_;
    }
    margin_ = std::uint64_t{1} << (length_ - 2);
    mask_ = (std::uint64_t{1} << period_) - 1;
    most_ = (std::uint64_t{1} << length_) + margin_;
  }

 private:
  std::uint64_t margin_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t most_ = 1;
  std::uint32_t after_ = 0;  // messages that are still taken after the stretch
  std::uint32_t taken_ = 0;  // in it
  std::uint64_t stretch_ = 0;
  std::uint64_t since_ = 0;  // when it was restarted
  unsigned renewed_ = 0;     // number of restarts
  unsigned length_ = 0;
  unsigned period_ = all;
};

}  // namespace rankwise

#endif
