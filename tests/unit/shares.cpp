// Counters of regions that are entered too often to read them each time. Prints a line for each answer that is wrong.
#include "../../src/runtime/shares.h"

#include <cinttypes>
#include <cstdio>

using namespace rankwise;

namespace {

constexpr std::uint64_t gap = 1000;
constexpr int counters = 2;

Shares shares;
std::uint64_t now = 1'000'000;
std::uint64_t counted[counters];   // since the latest reading
std::uint64_t given[8][counters];  // to each region
std::uint64_t truth[8][counters];  // what it has counted
std::uint64_t readings = 0;

void read_in(std::uint32_t region) {
  Counted all{};
  all.present = 3;
  for (int i = 0; i < counters; ++i) all.values[i] = counted[i];
  for (std::uint64_t &one : counted) one = 0;
  ++readings;
  shares.read(region, now, all, [](std::uint32_t to, const Counted &share) {
    if (share.present != 3) std::printf("region %u: present %" PRIu64 "\n", to, share.present);
    for (int i = 0; i < counters; ++i) given[to][i] += share.values[i];
  });
}

// So many ticks in a region, in which so much is counted a tick; then into another one.
void stay(std::uint32_t region, std::uint32_t next, std::uint64_t ticks, std::uint64_t first, std::uint64_t second) {
  now += ticks;
  const std::uint64_t more[counters] = {ticks * first, ticks * second};
  for (int i = 0; i < counters; ++i) {
    counted[i] += more[i];
    truth[region][i] += more[i];
  }
  if (shares.wants_reading(region, next, now)) {
    read_in(region);
  } else {
    shares.pass(region, now);
  }
}

void expect_exact(std::uint32_t region, const char *what) {
  for (int i = 0; i < counters; ++i) {
    if (given[region][i] == truth[region][i]) continue;
    std::printf("%s: region %u has %" PRIu64 " of counter %d, not %" PRIu64 "\n", what, region, given[region][i], i,
                truth[region][i]);
  }
}

void expect_nearly(std::uint32_t region, const char *what) {
  for (int i = 0; i < counters; ++i) {
    const std::uint64_t least = truth[region][i] / 100 * 95;
    const std::uint64_t most = truth[region][i] / 100 * 105;
    if (given[region][i] >= least && given[region][i] <= most) continue;
    std::printf("%s: region %u has %" PRIu64 " of counter %d, not about %" PRIu64 "\n", what, region, given[region][i],
                i, truth[region][i]);
  }
}

std::uint64_t sum(const std::uint64_t (&of)[8][counters], int counter) {
  std::uint64_t all = 0;
  for (const auto &region : of) all += region[counter];
  return all;
}

}  // namespace

int main() {
  shares.start(now, gap);
  // The first stays in each are exact, however short.
  stay(0, 1, 5, 1, 0);
  for (unsigned i = 0; i < Shares::first_stays; ++i) {
    stay(1, 2, 3, 100, 0);
    stay(2, 1, 7, 0, 9);
  }
  for (std::uint32_t region = 0; region <= 2; ++region) expect_exact(region, "first stays");

  // Of many, a sample says what belongs to which. The sum is that of the readings.
  const std::uint64_t before = now;
  readings = 0;
  for (int i = 0; i < 100'000; ++i) {
    stay(1, 2, 30, 100, 0);
    stay(2, 1, 70, 1, 9);
  }
  read_in(1);
  for (std::uint32_t region = 1; region <= 2; ++region) expect_nearly(region, "many stays");
  for (int i = 0; i < counters; ++i) {
    if (sum(given, i) != sum(truth, i)) std::printf("the sum of counter %d is wrong\n", i);
  }
  if (readings > 3 * (now - before) / gap) std::printf("%" PRIu64 " readings\n", readings);

  // Long ones are exact among short ones.
  stay(1, 3, 1, 0, 0);
  for (int i = 0; i < 50; ++i) {
    stay(3, 1, 5 * gap, 7, 0);
    for (int j = 0; j < 20; ++j) {
      stay(1, 2, 30, 100, 0);
      stay(2, j < 19 ? 1 : 3, 70, 1, 9);
    }
  }
  expect_exact(3, "long stays");

  // More regions than are remembered between readings.
  for (std::uint32_t region = 4; region < 8; ++region) stay(region, 4 + (region + 1) % 4, 0, 0, 0);
  read_in(4);
  for (int i = 0; i < counters; ++i) {
    if (sum(given, i) != sum(truth, i)) std::printf("the sum of counter %d is wrong at the end\n", i);
  }
  return 0;
}
