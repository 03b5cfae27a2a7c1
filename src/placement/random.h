// Pseudo-random numbers that are the same on every machine (xorshift64*, Vigna 2016).
#ifndef RANKWISE_PLACEMENT_RANDOM_H
#define RANKWISE_PLACEMENT_RANDOM_H

#include <cstdint>
#include <utility>
#include <vector>

namespace rankwise::placement {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 0x2545F4914F6CDD1DU) {
    if (state_ == 0) state_ = 1;
  }

  std::uint32_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint32_t>((state_ * 0x2545F4914F6CDD1DU) >> 32);
  }

  // 0 ... bound - 1.
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>((static_cast<std::uint64_t>(next()) * static_cast<std::uint64_t>(bound)) >> 32);
  }

  void shuffle(std::vector<std::int32_t> &values) {
    for (auto i = static_cast<std::int32_t>(values.size()) - 1; i > 0; i--) std::swap(values[i], values[below(i + 1)]);
  }

  // The seed of a part of the work, which may run in a separate thread.
  static std::uint64_t of_part(std::uint64_t seed, std::uint64_t part) {
    return (seed + 1) * 0xD1B54A32D192ED03U + part * 0x8CB92BA72F3D8DD7U;
  }

 private:
  std::uint64_t state_;
};

}  // namespace rankwise::placement

#endif
