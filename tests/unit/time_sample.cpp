// Two processes sample their messages, each for itself; prints how many of the calls that began in stretches of both
// samples are known: all of their messages are in both. Each line: extra messages, messages one way for one the other
// way, steps, ticks a step: calls, known calls, those in which somebody waited for very long, the known of these, and
// stretches.
#include "../../src/runtime/time_sample.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "../../src/runtime/hash.h"

using namespace rankwise;

namespace {

constexpr std::size_t most_sides = 1024;

struct Side {
  std::uint64_t number, posted;
  bool sent;
  int how;
};

// As streams::Streams does it.
struct Process {
  TimeSample times;
  std::uint64_t limit = ~0ULL;
  unsigned halved = 0;
  std::uint64_t first = 0;
  std::uint64_t sent = 0, received = 0;
  std::vector<Side> sides;

  bool by_number(const Side &side) const { return scatter(side.number + 1) <= limit; }
  void compact() {
    std::erase_if(sides, [&](const Side &side) { return !by_number(side) && side.how == TimeSample::not_in_it; });
  }
  void make_room() {
    for (unsigned step = 0; step < TimeSample::all && sides.size() == most_sides; ++step) {
      std::uint64_t by_numbers = 0;
      for (const Side &side : sides) by_numbers += by_number(side);
      if (by_numbers * 2 > sides.size()) {
        limit /= 2;
        ++halved;
      } else {
        const TimeSample before = times;
        times.thin_out(first, sides.back().posted, by_numbers << halved);
        for (Side &side : sides) {
          if (side.how != TimeSample::not_in_it) side.how = times.still(side.how, side.posted, before);
        }
      }
      compact();
    }
  }
  void post(bool sends, std::uint64_t now) {
    Side side{sends ? sent++ : received++, now, sends, TimeSample::not_in_it};
    if (!by_number(side) && !times.may_take(now)) return;
    side.how = times.take(now);
    if (!by_number(side) && side.how == TimeSample::not_in_it) return;
    if (first == 0) first = now;
    make_room();
    if (sides.size() < most_sides) sides.push_back(side);
  }
};

struct Call {
  int process;
  std::uint64_t began, sent, received;  // the first numbers
  bool long_wait;
};

void exchange(std::uint64_t extra, unsigned ratio, unsigned steps, std::uint64_t step) {
  Process both[2];
  std::vector<Call> calls;
  const unsigned sends[2] = {1, ratio};
  std::uint64_t now = 0x123456789ABCDULL;
  for (std::uint64_t i = 0; i < extra; ++i) {
    now += 100;
    both[1].post(true, now);
    both[0].post(false, now);
  }
  for (unsigned i = 0; i < steps; ++i) {
    now += step + static_cast<std::uint64_t>(rand()) % (step / 4);
    const bool stops = rand() % 100 == 0;
    const int late = rand() % 4 == 0;
    const std::uint64_t lateness = stops ? 300 * step : step / 4;
    for (int process = 0; process < 2; ++process) {
      std::uint64_t at = now + (process == late ? lateness : 0);
      calls.push_back({process, 0, both[process].sent, both[process].received, stops && process != late});
      for (unsigned k = 0; k < sends[1 - process]; ++k) both[process].post(false, at += 20);
      for (unsigned k = 0; k < sends[process]; ++k) both[process].post(true, at += 20);
      calls.back().began = at + 20;
    }
    now += lateness;
  }
  std::set<std::pair<bool, std::uint64_t>> kept[2];
  for (int process = 0; process < 2; ++process) {
    for (const Side &side : both[process].sides) kept[process].insert({side.sent, side.number});
  }
  const TimeSample &one = both[0].times, &other = both[1].times;
  const unsigned length = one.length() < other.length() ? one.length() : other.length();
  const unsigned period = one.period() > other.period() ? one.period() : other.period();
  const bool has_all = period == TimeSample::all;
  unsigned found = 0, known = 0, found_long = 0, known_long = 0;
  std::set<std::uint64_t> stretches;
  std::uint64_t from = 0;
  for (const Process &process : both) {
    for (const Side &side : process.sides) {
      if (side.how != 0) continue;
      if (process.times.renewed() != 0 && side.posted > from) from = side.posted;
      break;
    }
  }
  for (const Call &call : calls) {
    if (call.began < from || (!has_all && (call.began & ((1ULL << period) - 1)) >= 1ULL << length)) continue;
    stretches.insert(has_all ? 0 : call.began >> period);
    const int process = call.process;
    bool all = true;
    for (int k = 0; k < 2; ++k) {
      for (unsigned n = 0; n < sends[process]; ++n)
        all = all && kept[k ? process : 1 - process].count({k == 1, call.sent + n}) != 0;
      for (unsigned n = 0; n < sends[1 - process]; ++n)
        all = all && kept[k ? process : 1 - process].count({k == 0, call.received + n}) != 0;
    }
    ++found;
    known += all;
    found_long += call.long_wait;
    known_long += all && call.long_wait;
  }
  std::printf("%" PRIu64 " %u %u %" PRIu64 ": %u %u %u %u %zu\n", extra, ratio, steps, step, found, known, found_long,
              known_long, stretches.size());
}

}  // namespace

int main() {
  for (const unsigned steps : {300U, 20000U, 300000U}) {
    for (const std::uint64_t step : {1000ULL, 1000000ULL}) {
      for (const std::uint64_t extra : {0ULL, 1ULL, 2ULL, 7ULL, 1000ULL}) exchange(extra, 1, steps, step);
      exchange(0, 3, steps, step);
      exchange(5, 3, steps, step);
    }
  }
}
