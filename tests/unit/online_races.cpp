// Races of src/online on made-up times: what they decide, and what that costs. tests/unit/test_online_races.py
//
// Arguments: seed, calls, ns of a call by default, ns between two calls (-1: 5 ms at first, nothing later), scatter,
// millionths for exploring, and for each arm its time as a multiple of the default's. Prints the state, the candidate,
// the share of the time that exploring has cost in millionths, ns of all calls, and the interval of the pairs:
// candidate / default.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "../../src/online/race.h"

using namespace rankwise::online;

namespace {

constexpr std::int64_t kAgreeing = 20000, kPreparing = 300000;
constexpr double kDisturbed = 0.03;  // of the calls something takes the processor

const char *name(State state) {
  static constexpr const char *names[] = {"watching", "trying", "racing", "confirming", "kept", "none"};
  return names[static_cast<int>(state)];
}

}  // namespace

int main(int count, char **words) {
  if (count < 8) return 2;
  std::mt19937_64 random(std::strtoull(words[1], nullptr, 10));
  const long calls = std::atol(words[2]), usual = std::atol(words[3]), between = std::atol(words[4]);
  const double scatter = std::atof(words[5]);
  std::vector<double> ratios = {1};
  for (int i = 7; i < count; ++i) ratios.push_back(std::atof(words[i]));
  std::normal_distribution<double> normal(0, scatter);
  std::uniform_real_distribution<double> uniform;
  static Race race;
  race.begin(static_cast<int>(ratios.size()) - 1, std::atol(words[6]), std::strtoull(words[1], nullptr, 10));
  std::int64_t took[kMostCalls] = {};
  std::int64_t elapsed = 0, spent = 0, in_calls = 0;
  std::vector<bool> is_made(ratios.size());
  for (long call = 0; call < calls; ++call) {
    const int arm = race.arm();
    const bool is_new = arm != kDefault && !is_made[static_cast<std::size_t>(arm)];
    if (is_new) {
      is_made[static_cast<std::size_t>(arm)] = true;
      elapsed += kPreparing;
      spent += kPreparing;
    }
    // Ranks share what disturbs them, and it lasts for some calls.
    double ns = static_cast<double>(usual) * ratios[static_cast<std::size_t>(arm)] * std::exp(normal(random));
    if (uniform(random) < kDisturbed) ns += 20.0 * static_cast<double>(usual) * uniform(random);
    if (race.is_explored()) took[race.place()] = static_cast<std::int64_t>(ns);
    in_calls += static_cast<std::int64_t>(ns);
    elapsed += static_cast<std::int64_t>(ns) + (between >= 0 ? between : call < 1000 ? 5000000 : 0);
    if (!race.count()) continue;
    spent += kAgreeing;
    elapsed += kAgreeing;
    spent += race.conclude(took, {elapsed, spent, kAgreeing, kPreparing});
  }
  std::vector<double> pairs;
  for (int i = 0; i < race.pairs(); ++i)
    pairs.push_back(static_cast<double>(race.pair(i)[1]) / static_cast<double>(race.pair(i)[0]));
  const Interval found = interval_of(pairs.data(), static_cast<int>(pairs.size()), 0.95);
  std::printf("%s %d %.0f %lld %d %.9f %.9f %.9f\n", name(race.state()), race.candidate(),
              1e6 * static_cast<double>(spent) / static_cast<double>(elapsed), static_cast<long long>(in_calls),
              race.pairs(), found.low, found.middle, found.high);
  for (const double pair : pairs) std::printf("%.17g ", pair);
  std::printf("\n");
}
