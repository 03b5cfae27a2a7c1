#include "message_costs.h"

#include <algorithm>
#include <cstdlib>

#include "../runtime/clock.h"

namespace rankwise::introspection {
namespace {

constexpr std::size_t small_bytes = 8;
constexpr double least_share_of_bytes = 0.2;  // in the time of a large message
constexpr int rounds = 3;                     // the middle one counts

// A process's seconds of a small and of a large message; negative without a partner.
struct Times {
  double small[RANKWISE_MOST_DISTANCES];
  double large[RANKWISE_MOST_DISTANCES];
};

class Buffers {
 public:
  explicit Buffers(std::size_t bytes) : bytes_(bytes), memory_(static_cast<char *>(std::calloc(bytes, 2))) {}
  ~Buffers() { std::free(memory_); }
  Buffers(const Buffers &) = delete;
  Buffers &operator=(const Buffers &) = delete;

  bool usable() const { return memory_ != nullptr; }

  // Seconds that one exchange takes; negative if MPI failed.
  double exchange(Handle copy, int partner, std::size_t bytes) const {
    double seconds[rounds];
    for (double &one : seconds) {
      const std::int64_t start = clock::nanoseconds(CLOCK_MONOTONIC);
      if (!mpi->swap(copy, partner, memory_, memory_ + bytes_, bytes)) return -1;
      one = static_cast<double>(clock::nanoseconds(CLOCK_MONOTONIC) - start) * 1e-9;
    }
    std::sort(seconds, seconds + rounds);
    return seconds[rounds / 2];
  }

 private:
  std::size_t bytes_;
  char *memory_;
};

// The mean over the processes that measured it; 0 if none did.
double mean(const Times *times, int processes, double (Times::*size)[RANKWISE_MOST_DISTANCES], int distance) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < processes; ++i) {
    const double seconds = (times[i].*size)[distance];
    if (seconds < 0) continue;
    sum += seconds;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

void take(const Times *times, int processes, std::size_t bytes, MessageCosts &costs) {
  for (int distance = 0; distance < RANKWISE_MOST_DISTANCES; ++distance) {
    const double small = mean(times, processes, &Times::small, distance);
    const double large = mean(times, processes, &Times::large, distance);
    costs.per_message[distance] = small;
    // (A busy machine may take longer for a small message than for a large one.)
    costs.per_byte[distance] = std::max(large - small, least_share_of_bytes * large) / static_cast<double>(bytes);
  }
}

// `partner`: the partner of this process at each distance.
Times measured(Handle copy, const Buffers &buffers, const std::int32_t *partner, int distances, std::size_t bytes) {
  Times times;
  std::fill_n(times.small, static_cast<int>(RANKWISE_MOST_DISTANCES), -1.0);
  std::fill_n(times.large, static_cast<int>(RANKWISE_MOST_DISTANCES), -1.0);
  for (int i = 0; i < distances; ++i) {
    if (partner[i] < 0) continue;
    // The first messages of a pair may connect it.
    static_cast<void>(buffers.exchange(copy, partner[i], small_bytes));
    times.small[i] = buffers.exchange(copy, partner[i], small_bytes);
    times.large[i] = buffers.exchange(copy, partner[i], bytes);
  }
  return times;
}

// Whether a condition holds on all processes; `all` [processes] on rank 0.
bool holds_everywhere(const Members &members, bool condition, unsigned char *all) {
  const auto own = static_cast<unsigned char>(condition);
  if (!mpi->gather(members.copy(), 0, &own, sizeof own, all)) return false;
  bool holds = true;
  for (int i = 0; members.rank() == 0 && i < members.size(); ++i) holds = holds && all[i] != 0;
  return mpi->broadcast(members.copy(), 0, &holds, sizeof holds) && holds;
}

}  // namespace

bool measure_messages(const Members &members, const Measurement &wish, MessageCosts *costs) {
  const Handle copy = members.copy();
  const bool is_root = members.rank() == 0;
  const auto n = static_cast<std::size_t>(members.size());
  auto *times = is_root ? static_cast<Times *>(std::malloc(n * sizeof(Times))) : nullptr;
  auto *ready = is_root ? static_cast<unsigned char *>(std::malloc(n)) : nullptr;
  Measurement shared = wish;
  if (is_root && (times == nullptr || ready == nullptr)) shared.distances = 0;
  bool done = mpi->broadcast(copy, 0, &shared, sizeof shared) && shared.distances > 0;
  if (done) {
    const Buffers buffers(std::max(shared.bytes, small_bytes));
    // RATIONALE: a process needs its own partners only, but a broadcast of all keeps to what every build can do.
    const std::size_t entries = static_cast<std::size_t>(shared.distances) * n;
    auto *partner = is_root ? wish.partner : static_cast<std::int32_t *>(std::malloc(entries * sizeof(std::int32_t)));
    done = holds_everywhere(members, buffers.usable() && partner != nullptr, ready) &&
           mpi->broadcast(copy, 0, partner, entries * sizeof(std::int32_t));
    if (done) {
      std::int32_t own[RANKWISE_MOST_DISTANCES];
      for (int i = 0; i < shared.distances; ++i) {
        own[i] = partner[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(members.rank())];
      }
      const Times mine = measured(copy, buffers, own, shared.distances, shared.bytes);
      done = mpi->gather(copy, 0, &mine, sizeof mine, times);
    }
    if (!is_root) std::free(partner);
  }
  if (done && is_root) take(times, members.size(), shared.bytes, *costs);
  std::free(times);
  std::free(ready);
  return done;
}

}  // namespace rankwise::introspection
