#include "kway_refine.h"

#include <algorithm>
#include <array>
#include <utility>

#include "buckets.h"
#include "contacts.h"

namespace rankwise::placement {

namespace {

constexpr int kPasses = 3;                                        // for two parts
constexpr std::size_t kBudgetOfEdge = 40, kLeastBudget = 100000;  // edges and contacts visited

struct Couple {
  double weight;
  Index first, second;
};

class KWayRefinement {
 public:
  KWayRefinement(const Graph &graph, Indices &part, std::span<const Index> capacity, const Effort &effort)
      : graph_(graph),
        part_(part),
        effort_(effort),
        left_(capacity.begin(), capacity.end()),
        members_(capacity.size()),
        contacts_(graph, part, static_cast<Index>(capacity.size())),
        vertices_(graph.size()),
        active_(capacity.size(), 1),
        budget_(graph.rows.adjacent.size() * kBudgetOfEdge + kLeastBudget) {
    double largest = 0;
    for (Index v = 0; v < graph.size(); v++) {
      members_[part[v]].push_back(v);
      left_[part[v]]--;
      double weight = 0;
      for (const Contact &contact : contacts_.of(v)) weight += contact.weight;
      largest = std::max(largest, weight);
    }
    for (Buckets &heap : heaps_) heap.reset(vertices_, largest);
  }

  // Each pair of parts, if one of the two has changed. False if nothing improved.
  bool round() {
    std::vector<std::uint8_t> changed(active_.size(), 0);
    for (const Couple &couple : couples()) {
      if (is_exhausted()) break;
      for (int pass = 0; pass < kPasses && exchange(couple.first, couple.second); pass++)
        changed[couple.first] = changed[couple.second] = 1;
    }
    active_ = std::move(changed);
    return std::find(active_.begin(), active_.end(), 1) != active_.end();
  }

 private:
  [[nodiscard]] bool is_exhausted() const { return looked_at_ >= budget_; }

  // Parts with edges between them, the heaviest first.
  std::vector<Couple> couples() {
    std::vector<Couple> connected;
    std::vector<double> weight(members_.size(), 0);
    Indices others;
    for (Index first = 0; first < static_cast<Index>(members_.size()); first++) {
      others.clear();
      for (const Index v : members_[first]) {
        for (const Contact &contact : contacts_.of(v)) {
          if (contact.part <= first || contact.weight <= 0) continue;
          if (weight[contact.part] == 0) others.push_back(contact.part);
          weight[contact.part] += contact.weight;
        }
      }
      for (const Index second : others) {
        if (active_[first] || active_[second]) connected.push_back({weight[second], first, second});
        weight[second] = 0;
      }
    }
    std::sort(connected.begin(), connected.end(), [](const Couple &a, const Couple &b) {
      if (a.weight != b.weight) return a.weight > b.weight;
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
    return connected;
  }

  // One pass between two parts. True if it gained.
  bool exchange(Index first, Index second) {
    pair_ = {first, second};
    start();
    if (effort_.is_thrifty && effort_.has_hubs && is_hopeless()) return false;
    double gained = 0, best = 0;
    std::size_t kept = 0;
    int since = 0;
    full_ = {false, false};
    for (int side = choose(); side >= 0 && since <= effort_.kway_patience; side = choose()) {
      const Index v = heaps_[side].top();
      heaps_[side].remove(v);
      vertices_[v].is_locked = true;
      gained += vertices_[v].gain;
      move(v, side);
      moves_.push_back(v);
      since++;
      if (left_[first] < 0 || left_[second] < 0 || gained <= best) continue;
      best = gained;
      kept = moves_.size();
      since = 0;
    }
    for (std::size_t i = moves_.size(); i > kept; i--) put(moves_[i - 1], opposite(part_[moves_[i - 1]]));
    for (std::size_t i = 0; i < kept; i++) contacts_.move(moves_[i], opposite(part_[moves_[i]]), part_[moves_[i]]);
    if (kept > 0) sort_members();
    return kept > 0;
  }

  // Neither an exchange of two vertices lowers the cut, nor a move to a part with room.
  [[nodiscard]] bool is_hopeless() const {
    if (heaps_[0].empty() || heaps_[1].empty()) return false;
    const double first = vertices_[heaps_[0].top()].gain, second = vertices_[heaps_[1].top()].gain;
    const bool is_move_better = (first > 0 && left_[pair_[1]] > 0) || (second > 0 && left_[pair_[0]] > 0);
    return first + second < 0 && !is_move_better;
  }

  [[nodiscard]] Index opposite(Index part) const { return part == pair_[0] ? pair_[1] : pair_[0]; }

  void start() {
    moves_.clear();
    for (Buckets &heap : heaps_) heap.clear();
    for (int side = 0; side < 2; side++) {
      for (const Index v : members_[pair_[side]]) {
        double outside = 0, inside = 0;
        const auto contacts = contacts_.of(v);
        looked_at_ += contacts.size();
        for (const Contact &contact : contacts) {
          if (contact.part == pair_[1 - side]) outside = contact.weight;
          if (contact.part == pair_[side]) inside = contact.weight;
        }
        vertices_[v].gain = outside - inside;
        vertices_[v].is_locked = false;
        if (outside > 0) heaps_[side].push(v);
      }
    }
  }

  // The side that the next vertex leaves, -1 if no vertex can. A part may be too full by one for a while.
  int choose() {
    for (int side = 0; side < 2; side++)
      if (left_[pair_[side]] < 0) return filled(side) ? side : -1;
    std::array<bool, 2> can{};
    for (int side = 0; side < 2; side++) can[side] = !heaps_[side].empty();
    if (!can[0] || !can[1]) return can[0] ? 0 : can[1] ? 1 : -1;
    return vertices_[heaps_[0].top()].gain >= vertices_[heaps_[1].top()].gain ? 0 : 1;
  }

  bool filled(int side) {
    if (heaps_[side].empty() && !full_[side]) {
      full_[side] = true;
      for (const Index member : pair_)
        for (const Index v : members_[member])
          if (part_[v] == pair_[side] && !vertices_[v].is_locked) heaps_[side].push(v);
    }
    return !heaps_[side].empty();
  }

  void put(Index v, Index part) {
    left_[part_[v]]++;
    left_[part]--;
    part_[v] = part;
  }

  void move(Index v, int side) {
    put(v, pair_[1 - side]);
    vertices_[v].gain = -vertices_[v].gain;
    looked_at_ += graph_.rows.last(v) - graph_.rows.first(v);
    for (std::size_t i = graph_.rows.first(v); i < graph_.rows.last(v); i++) {
      const Index other = graph_.rows.adjacent[i];
      const int theirs = part_[other] == pair_[side] ? side : 1 - side;
      if (part_[other] != pair_[theirs]) continue;
      vertices_[other].gain += theirs == side ? 2 * graph_.weight[i] : -2 * graph_.weight[i];
      if (!vertices_[other].is_locked) heaps_[theirs].push(other);
    }
  }

  void sort_members() {
    std::array<Indices, 2> sorted;
    for (const Index member : pair_)
      for (const Index v : members_[member]) sorted[part_[v] == pair_[0] ? 0 : 1].push_back(v);
    for (int side = 0; side < 2; side++) members_[pair_[side]] = std::move(sorted[side]);
  }

  const Graph &graph_;
  Indices &part_;
  const Effort &effort_;
  Indices left_;  // room of each part; -1 if it is too full by one
  std::vector<Indices> members_;
  Contacts contacts_;
  std::vector<Standing> vertices_;
  std::vector<std::uint8_t> active_;
  std::array<Buckets, 2> heaps_;
  std::array<Index, 2> pair_{};
  std::array<bool, 2> full_{};
  Indices moves_;
  std::size_t budget_;
  std::size_t looked_at_ = 0;
};

}  // namespace

void kway_refine(const Graph &graph, Indices &part, std::span<const Index> capacity, const Effort &effort) {
  KWayRefinement refinement(graph, part, capacity, effort);
  for (int round = 0; round < effort.kway_rounds && refinement.round(); round++) {
  }
}

}  // namespace rankwise::placement
