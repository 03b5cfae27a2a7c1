// The decision on one cell while the program runs: the algorithm of its next call, the cost, and the winner.
//
// All members of a communicator hold the same race and must reach the same decisions. So the decisions depend only on
// the number of the call and on integers that the members have agreed on. They use additions, divisions and square
// roots, which give the same result on every processor, and no functions of a mathematical library, which may not.
#ifndef RANKWISE_ONLINE_RACE_H
#define RANKWISE_ONLINE_RACE_H

#include <cstdint>

namespace rankwise::online {

inline constexpr int kMostArms = 24;     // in addition to the library's own choice
inline constexpr int kBlock = 8;         // consecutive calls with the same arm; the first does not count
inline constexpr int kShortBlock = 2;    // for a winner that is far faster
inline constexpr int kTrial = 1;         // for an arm without measurements
inline constexpr int kMostRounds = 120;  // in a race
inline constexpr int kMostPairs = 128;   // in the fresh measurement of its winner
inline constexpr int kRemembered = 32;
inline constexpr int kMostCalls = (kMostArms + 1) * kBlock;
inline constexpr int kDefault = 0;  // the arm that is the library's own choice; others are counted from 1

enum class State {
  watching,    // whether the cell takes enough time
  trying,      // each arm once, so that a very slow arm costs little
  racing,      // all arms in rounds of random order
  confirming,  // the winner is in use, and compared again with the library's own choice
  kept,        // it has won that, too
  none,        // no arm is shown to be faster
};

// The confidence interval of the pseudo-median of the ratios, by Hodges and Lehmann, from the exact distribution of
// Wilcoxon's signed-rank statistic, as in python/rankwise/trials/interval.py. Unknown if there are too few ratios for
// the confidence.
struct Interval {
  bool is_known;
  double low, middle, high;
};
Interval interval_of(const double *ratios, int count, double confidence);

// The values that the members have agreed on at the end of a segment. All times are ns.
struct Agreed {
  std::int64_t elapsed;    // since the start of the program
  std::int64_t spent;      // part of this, for exploring on any communicator
  std::int64_t agreeing;   // cost of an agreement
  std::int64_t preparing;  // cost of preparing an algorithm
};

struct Arm {
  const char *out;  // why it has left the race; nullptr: it is still in
  int rounds;
  double usual;                    // the median of its ratios so far; 0: not known
  double ratios[kMostRounds + 1];  // ratios of its time to the default's in the same round; the ratio of its trial is
                                   // last
};

class Race {
 public:
  // `millionths`: share of the program's time for exploring. `seed`: for the order of arms; the same for all members.
  void begin(int arms, std::int64_t millionths, std::uint64_t seed);

  // The arm of the next call.
  int arm() const;

  // Whether its times are wanted.
  bool is_explored() const { return resting_ == 0 && !is_over(); }

  // Counts the call. True if the members must agree now, and call `conclude` after that.
  bool count();

  // The index of the next call in the segment.
  int place() const { return place_; }
  int calls_of_segment() const { return calls_; }

  // Evaluates the calls of a segment, by index, and plans the next one. Returns the cost in ns.
  std::int64_t conclude(const std::int64_t *took, const Agreed &agreed);

  // Ends the race: from now on the library chooses.
  void give_up();

  bool is_over() const { return state_ == State::kept || state_ == State::none; }
  State state() const { return state_; }
  int chosen() const { return chosen_; }        // in use while nothing is explored
  int candidate() const { return candidate_; }  // that was measured again, kept or not; 0: none
  int rounds() const { return rounds_; }
  int pairs() const { return pairs_; }
  const std::int64_t *pair(int number) const { return pair_[number]; }  // ns with the default, and with the candidate
  const Arm &of(int arm) const { return arm_[arm]; }
  int arms() const { return arms_; }
  std::int64_t total_calls() const { return total_; }
  std::int64_t calls_before_choice() const { return chosen_ == kDefault ? total_ : chosen_since_; }
  std::int64_t default_ns() const { return usual_; }

 private:
  struct Visit {
    int arm, calls;
  };

  std::int64_t digest(const std::int64_t *took);
  void remember(std::int64_t default_ns);
  void learn();
  void look();
  void look_at_pairs();
  void plan(const Agreed &agreed);
  void plan_segment();
  void add(int arm, int calls);
  void shuffle();
  std::int64_t expected(const Agreed &agreed) const;
  int running() const;
  std::uint32_t random(std::uint32_t below);

  State state_ = State::watching;
  int arms_ = 0;
  std::int64_t millionths_ = 0;
  std::uint64_t seed_ = 0;
  std::int64_t total_ = 0;
  std::int64_t resting_ = 0;  // calls until the segment begins
  bool is_looking_ = false;   // instead of a segment: only check whether a segment is affordable
  int visits_ = 0, visit_ = 0, left_ = 0, place_ = 0, calls_ = 0;
  Visit visit_of_[kMostArms + 1] = {};
  std::int64_t median_[kMostArms + 1] = {};  // ns of a call in the segment, by arm; 0: it was not visited
  Arm arm_[kMostArms + 1] = {};
  int rounds_ = 0, pairs_ = 0, candidate_ = kDefault, chosen_ = kDefault;
  std::int64_t pair_[kMostPairs][2] = {};
  std::int64_t defaults_[kRemembered] = {};  // the default's times in the latest segments
  int remembered_ = 0;
  std::int64_t usual_ = 0;         // the median of them
  std::int64_t chosen_since_ = 0;  // calls before that
  std::int64_t last_elapsed_ = 0, last_total_ = 0;
};

}  // namespace rankwise::online

#endif
