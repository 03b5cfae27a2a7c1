// Distributes the system counts between two readings among the regions of that time.
//
// RATIONALE: a reading takes microseconds of system calls, and a program may enter a million regions a second. So the
// first stays in each region, the long ones, and a sample of the others are read individually. The remaining counts are
// distributed by the rates that were seen then; the sum over all regions always equals the readings.
#ifndef RANKWISE_SHARES_H
#define RANKWISE_SHARES_H

#include <cstdint>

#include "format.h"
#include "hash.h"

namespace rankwise {

// The counts between two readings.
struct Counted {
  std::uint64_t values[RANKWISE_MOST_SYSTEM_COUNTERS];
  std::uint64_t present;  // bit c: counter c was counted
  std::uint64_t scaled;   // bit c: it is extrapolated
};

class Shares {
 public:
  static constexpr unsigned first_stays = 8;  // in each region: each is read individually

  // The mean time between readings without another cause. Longer stays are read individually.
  void start(std::uint64_t now, std::uint64_t gap_ticks) {
    gap_ = gap_ticks;
    restart(now);
  }

  // Whether to read, when the process goes from one region to another.
  bool wants_reading(std::uint32_t from, std::uint32_t to, std::uint64_t now) const {
    const Region &left = of_[from];
    return (is_alone(from) && (left.stays < first_stays || is_sample_)) || of_[to].stays < first_stays ||
           of_[to].is_long || elapsed(latest_, now) >= gap_ || elapsed(read_, now) >= wait_ || passed_ == most_passed;
  }

  // It goes to another region without a reading.
  void pass(std::uint32_t from, std::uint64_t now) {
    of_[from].is_long = false;
    note(from, now);
    latest_ = now;
  }

  // It goes to another region, or stays, with these counts since the latest reading. `add` is called with each region
  // that gets a share, and its share.
  template <class Add>
  void read(std::uint32_t from, std::uint64_t now, const Counted &counted, Add add) {
    const bool alone = is_alone(from);
    of_[from].is_long = elapsed(latest_, now) >= gap_;
    note(from, now);
    if (alone) {
      learn(&of_[from], counted);
      add(from, counted);
    } else {
      share_out(counted, add);
    }
    for (unsigned i = 0; i < passed_; ++i) of_[regions_[i]].pending = 0;
    is_sample_ = !alone;
    restart(now);
  }

 private:
  static constexpr unsigned most_passed = 64;

  struct Region {
    std::uint64_t values[RANKWISE_MOST_SYSTEM_COUNTERS];  // of stays that were read individually
    std::uint64_t ticks;                                  // in these
    std::uint64_t pending;                                // since the latest reading
    std::uint32_t stays;
    bool is_long;  // the latest one was
  };

  static std::uint64_t elapsed(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

  // Whether the process has been in no other region since the latest reading.
  bool is_alone(std::uint32_t region) const { return passed_ == 0 || (passed_ == 1 && regions_[0] == region); }

  void restart(std::uint64_t now) {
    passed_ = 0;
    read_ = latest_ = now;
    // Avoids synchrony with the program.
    wait_ = gap_ / 2 + (gap_ != 0 ? scatter(now) % gap_ : 0);
  }

  // (If the clock does not distinguish two instants, it is one tick.)
  void note(std::uint32_t region, std::uint64_t now) {
    if (of_[region].pending == 0) regions_[passed_++] = static_cast<std::uint16_t>(region);
    of_[region].pending += elapsed(latest_, now) + 1;
  }

  static void learn(Region *region, const Counted &counted) {
    for (int counter = 0; counter < RANKWISE_MOST_SYSTEM_COUNTERS; ++counter) {
      region->values[counter] += counted.values[counter];
    }
    region->ticks += region->pending;
    ++region->stays;
  }

  double weight(const Region &region, int counter) const {
    if (region.ticks == 0) return 0;
    return static_cast<double>(region.values[counter]) / static_cast<double>(region.ticks) *
           static_cast<double>(region.pending);
  }

  template <class Add>
  void share_out(const Counted &counted, Add add) const {
    Counted shares[most_passed + 1] = {};
    for (int counter = 0; counter < RANKWISE_MOST_SYSTEM_COUNTERS; ++counter) {
      double total = 0;
      for (unsigned i = 0; i < passed_; ++i) total += weight(of_[regions_[i]], counter);
      const bool by_time = !(total > 0);  // none of them has counted this
      for (unsigned i = 0; by_time && i < passed_; ++i) total += static_cast<double>(of_[regions_[i]].pending);
      double before = 0;
      std::uint64_t given = 0;
      for (unsigned i = 0; i < passed_; ++i) {
        const Region &region = of_[regions_[i]];
        before += by_time ? static_cast<double>(region.pending) : weight(region, counter);
        const bool is_last = i + 1 == passed_;
        const auto until = static_cast<std::uint64_t>(static_cast<double>(counted.values[counter]) * (before / total));
        const std::uint64_t so_far = is_last || until > counted.values[counter] ? counted.values[counter] : until;
        shares[i].values[counter] = so_far > given ? so_far - given : 0;
        given += shares[i].values[counter];
      }
    }
    for (unsigned i = 0; i < passed_; ++i) {
      shares[i].present = counted.present;
      shares[i].scaled = counted.scaled;
      add(regions_[i], shares[i]);
    }
  }

  Region of_[RANKWISE_REGION_OTHER];
  std::uint16_t regions_[most_passed + 1];  // since the latest reading
  unsigned passed_;
  bool is_sample_;  // the stay that began with the latest reading will be read individually
  std::uint64_t gap_;
  std::uint64_t wait_;    // until the next reading
  std::uint64_t read_;    // latest reading
  std::uint64_t latest_;  // latest step from one region to another, or reading
};

}  // namespace rankwise

#endif
