#include "race.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rankwise::online {

namespace {

constexpr std::int64_t kFirstCalls = 32;   // of a cell, before it is assessed
constexpr std::int64_t kWorthOneIn = 200;  // share of the time; a smaller cell is left alone
constexpr std::int64_t kMostResting = 1 << 20;
constexpr std::int64_t kMillion = 1000000;
constexpr double kLeastGain = 0.98;            // share of the default's time; a smaller gain does not count
constexpr double kHopeless = 4, kSlow = 1.25;  // times the default: eliminated after two trials, or after some rounds
constexpr std::int64_t kUnknown = 10;          // times the default: assumed extra time of an unknown arm
constexpr std::int64_t kPlanned = 7, kOf = 8;  // share of the budget; the rest is a reserve for surprises
constexpr int kSoon = 3;                       // rounds
constexpr int kLooks[] = {6, 9, 13, 19, 27, 40, 60, 90, kMostRounds};
constexpr double kOut = 0.95, kLeads = 0.99;  // confidence in the race; its winner is measured again
constexpr int kPairLooks[] = {16, 32, 64, kMostPairs};
constexpr double kKept = 1 - 0.05 / 8 / 4;  // so that it holds for eight cells together, and all interim analyses

bool is_among(int number, const int *all, std::size_t count) {
  return std::find(all, all + count, number) != all + count;
}

template <class Number>
Number middle_of(const Number *values, int count) {
  Number sorted[std::max(kRemembered, kMostRounds)];
  std::copy(values, values + count, sorted);
  std::nth_element(sorted, sorted + count / 2, sorted + count);
  return sorted[count / 2];
}

}  // namespace

Interval interval_of(const double *ratios, int count, double confidence) {
  constexpr int most = kMostPairs * (kMostPairs + 1) / 2;
  static_assert(kMostPairs >= kMostRounds);
  static double averages[most], chances[most + 1];
  std::fill(std::begin(chances), std::end(chances), 0);
  chances[0] = 1;
  int last = 0;
  for (int rank = 1; rank <= count; ++rank) {
    last += rank;
    for (int sum = last; sum >= 0; --sum) chances[sum] = (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2;
  }
  int number = 0;
  for (int i = 0; i < count; ++i) {
    // The mean of two logarithms is the logarithm of a geometric mean.
    for (int j = i; j < count; ++j) averages[number++] = std::sqrt(ratios[i] * ratios[j]);
  }
  std::sort(averages, averages + number);
  double below = 0;
  int left_out = 0;
  while (left_out <= last && below + chances[left_out] <= (1 - confidence) / 2) below += chances[left_out++];
  if (left_out == 0) return {false, 0, 0, 0};
  const double middle = std::sqrt(averages[(number - 1) / 2] * averages[number / 2]);
  return {true, averages[left_out - 1], middle, averages[number - left_out]};
}

void Race::begin(int arms, std::int64_t millionths, std::uint64_t seed) {
  arms_ = std::min(arms, kMostArms);
  millionths_ = millionths;
  seed_ = seed;
  resting_ = kFirstCalls;
  plan_segment();
  if (arms_ == 0) give_up();
}

int Race::arm() const { return is_explored() ? visit_of_[visit_].arm : chosen_; }

bool Race::count() {
  ++total_;
  if (is_over()) return false;
  if (resting_ > 0) {
    --resting_;
    return false;
  }
  ++place_;
  if (--left_ > 0) return false;
  if (++visit_ < visits_) {
    left_ = visit_of_[visit_].calls;
    return false;
  }
  return true;
}

void Race::give_up() {
  state_ = State::none;
  chosen_ = kDefault;
}

std::int64_t Race::conclude(const std::int64_t *took, const Agreed &agreed) {
  std::int64_t cost = 0;
  if (!is_looking_) {
    cost = digest(took);
    learn();
  }
  Agreed now = agreed;
  now.spent += cost;
  if (state_ == State::watching && total_ * usual_ * kWorthOneIn >= agreed.elapsed) state_ = State::trying;
  if (state_ == State::trying) {
    bool all = true;
    for (int arm = 1; arm <= arms_; ++arm) all = all && (arm_[arm].out != nullptr || arm_[arm].usual > 0);
    if (all) state_ = State::racing;
  }
  if (state_ == State::racing && running() == 0) give_up();
  if (!is_over()) plan(now);
  last_elapsed_ = agreed.elapsed;
  last_total_ = total_;
  return cost;
}

// Takes the median time of each visit. Returns the extra cost of the visits over the algorithm in use.
std::int64_t Race::digest(const std::int64_t *took) {
  std::int64_t sums[kMostArms + 1] = {};
  std::fill(std::begin(median_), std::end(median_), 0);
  for (int visit = 0, at = 0; visit < visits_; at += visit_of_[visit++].calls) {
    const auto [arm, calls] = visit_of_[visit];
    for (int i = 0; i < calls; ++i) sums[arm] += took[at + i];
    const std::int64_t of_call = calls == kTrial ? took[at] : middle_of(took + at + 1, calls - 1);
    median_[arm] = std::max<std::int64_t>(1, of_call);
  }
  remember(median_[kDefault]);
  const std::int64_t usual = median_[chosen_];
  std::int64_t cost = 0;
  for (int visit = 0; visit < visits_; ++visit) {
    const auto [arm, calls] = visit_of_[visit];
    if (arm != chosen_) cost += std::max<std::int64_t>(0, sums[arm] - calls * usual);
  }
  return cost;
}

void Race::remember(std::int64_t default_ns) {
  defaults_[remembered_++ % kRemembered] = default_ns;
  usual_ = middle_of(defaults_, std::min(remembered_, kRemembered));
}

void Race::learn() {
  if (state_ == State::confirming) {
    pair_[pairs_][0] = median_[kDefault];
    pair_[pairs_++][1] = median_[candidate_];
    if (is_among(pairs_, kPairLooks, std::size(kPairLooks))) look_at_pairs();
    return;
  }
  for (int number = 1; number <= arms_; ++number) {
    Arm &arm = arm_[number];
    if (median_[number] == 0) continue;
    const double ratio = static_cast<double>(median_[number]) / static_cast<double>(median_[kDefault]);
    const bool was_slow = arm.ratios[kMostRounds] > kHopeless;
    if (state_ == State::trying) {
      arm.ratios[kMostRounds] = ratio;
      // A disturbed call does not eliminate an algorithm: it is tried again.
      if (ratio > kHopeless && was_slow) arm.out = "far slower";
      if (ratio <= kHopeless) arm.usual = ratio;
    } else if (state_ == State::racing) {
      arm.ratios[arm.rounds++] = ratio;
      arm.usual = middle_of(arm.ratios, arm.rounds);
    }
  }
  if (state_ == State::racing) {
    ++rounds_;
    look();
  }
}

void Race::look() {
  if (rounds_ == kSoon) {
    for (int number = 1; number <= arms_; ++number) {
      Arm &arm = arm_[number];
      const double *ratios = arm.ratios;
      if (arm.out == nullptr && std::all_of(ratios, ratios + kSoon, [](double one) { return one > kSlow; }))
        arm.out = "slower";
    }
  }
  if (!is_among(rounds_, kLooks, std::size(kLooks))) return;
  int leader = kDefault;
  Interval of[kMostArms + 1] = {};
  for (int number = 1; number <= arms_; ++number) {
    if (arm_[number].out != nullptr) continue;
    of[number] = interval_of(arm_[number].ratios, rounds_, kOut);
    if (leader == kDefault || of[number].middle < of[leader].middle) leader = number;
  }
  for (int number = 1; number <= arms_; ++number) {
    if (arm_[number].out != nullptr) continue;
    if (of[number].low > kLeastGain) arm_[number].out = of[number].low > 1 ? "slower" : "no gain";
    if (of[number].low > of[leader].high) arm_[number].out = "slower than another";
  }
  if (leader == kDefault) return;
  const Interval sure = interval_of(arm_[leader].ratios, rounds_, kLeads);
  if (arm_[leader].out == nullptr && sure.is_known && sure.high < 1 && sure.middle < kLeastGain) {
    candidate_ = chosen_ = leader;
    chosen_since_ = total_;
    state_ = State::confirming;
  } else if (rounds_ == kMostRounds) {
    give_up();
  }
}

// As the best of many, the winner looks better than it is. So its interval comes from separate rounds.
void Race::look_at_pairs() {
  double ratios[kMostPairs];
  for (int i = 0; i < pairs_; ++i) ratios[i] = static_cast<double>(pair_[i][1]) / static_cast<double>(pair_[i][0]);
  const Interval found = interval_of(ratios, pairs_, kKept);
  if (found.is_known && found.high < 1 && found.middle < kLeastGain) {
    state_ = State::kept;
  } else if (pairs_ == kMostPairs || found.low > 1) {
    give_up();
  }
}

// Plans the next segment, and the calls to wait until it is affordable.
void Race::plan(const Agreed &agreed) {
  plan_segment();
  if (state_ == State::watching) {
    resting_ = std::min(total_, kMostResting);
    return;
  }
  const std::int64_t share = millionths_ * kPlanned / kOf;
  const std::int64_t allowed = agreed.elapsed / kMillion * share + agreed.elapsed % kMillion * share / kMillion;
  const std::int64_t missing = agreed.spent + expected(agreed) - allowed;
  resting_ = 0;
  is_looking_ = missing > 0;
  if (!is_looking_) return;
  // Calls may become more frequent by then, so the budget is checked again after the rest.
  const std::int64_t calls = std::max<std::int64_t>(1, total_ - last_total_);
  const std::int64_t each = std::max<std::int64_t>(1, (agreed.elapsed - last_elapsed_) / calls);
  const std::int64_t with_look = missing + 2 * agreed.agreeing;  // the check itself costs something
  const std::int64_t until = std::min(with_look, INT64_MAX / kMillion) * kMillion / std::max<std::int64_t>(1, share);
  resting_ = std::clamp<std::int64_t>(until / each, 1, kMostResting);
  visits_ = calls_ = 0;
  add(chosen_, 1);
  left_ = 1;
}

void Race::plan_segment() {
  // If the gain is large, returning to the default is expensive, and few calls are enough to see the gain.
  const bool is_clear = state_ == State::confirming && arm_[candidate_].usual < 0.5;
  const int calls = is_clear ? kShortBlock : kBlock;
  visits_ = visit_ = place_ = calls_ = 0;
  add(kDefault, calls);
  if (state_ == State::trying) {
    for (int arm = 1; arm <= arms_ && visits_ == 1; ++arm) {
      if (arm_[arm].out == nullptr && arm_[arm].usual == 0) add(arm, kTrial);
    }
  } else if (state_ == State::racing) {
    for (int arm = 1; arm <= arms_; ++arm) {
      if (arm_[arm].out == nullptr) add(arm, kBlock);
    }
  } else if (state_ == State::confirming) {
    add(candidate_, calls);
  }
  shuffle();
  left_ = visit_of_[0].calls;
}

void Race::add(int arm, int calls) {
  visit_of_[visits_++] = {arm, calls};
  calls_ += calls;
}

// The order is random, so that no periodic disturbance favours an arm.
void Race::shuffle() {
  if (state_ == State::trying) return;
  for (int i = visits_ - 1; i > 0; --i) std::swap(visit_of_[i], visit_of_[random(static_cast<std::uint32_t>(i) + 1)]);
}

// The expected cost of the next segment, from typical times: one disturbed call must not end the exploration.
std::int64_t Race::expected(const Agreed &agreed) const {
  double cost = static_cast<double>(agreed.agreeing);
  const double usual = static_cast<double>(usual_);
  for (int visit = 0; visit < visits_; ++visit) {
    const auto [arm, calls] = visit_of_[visit];
    const double known = arm_[state_ == State::confirming ? candidate_ : arm].usual;
    if (state_ == State::confirming) {
      if (arm == kDefault) cost += calls * usual * std::max(0.0, 1 - known);
    } else if (arm != kDefault) {
      cost += calls * usual * (known > 0 ? std::max(0.0, known - 1) : kUnknown);
      if (known == 0) cost += static_cast<double>(agreed.preparing);
    }
  }
  return static_cast<std::int64_t>(std::min(cost, 1e15));
}

int Race::running() const {
  int number = 0;
  for (int arm = 1; arm <= arms_; ++arm) number += arm_[arm].out == nullptr;
  return number;
}

// SplitMix64.
std::uint32_t Race::random(std::uint32_t below) {
  std::uint64_t mixed = seed_ += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return static_cast<std::uint32_t>((mixed ^ (mixed >> 31)) % below);
}

}  // namespace rankwise::online
