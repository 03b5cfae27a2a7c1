#include "mapping.h"

#include <cstdlib>

#include "../runtime/find_order.h"
#include "../runtime/lock.h"
#include "../runtime/report.h"

namespace rankwise::introspection::mapping {
namespace {

// Of the processes whose rows were gathered here last.
Lock lock;
const rankwise_whereabouts *latest = nullptr;
int latest_count = 0;

void remember(const Members &members) {
  const Guard guard(lock);
  latest = members.places;
  latest_count = members.size();
}

// The entries of a matrix that are not 0.
class Entries {
 public:
  Entries(const unsigned long *sizes, int n) {
    const auto pairs = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < pairs; ++i) count_ += sizes[i] != 0 ? 1 : 0;
    memory_ = std::malloc(count_ * (sizeof(double) + 2 * sizeof(std::int32_t)) + 1);
    if (memory_ == nullptr) return;
    auto *bytes = static_cast<double *>(memory_);
    auto *source = reinterpret_cast<std::int32_t *>(bytes + count_);
    std::int32_t *destination = source + count_;
    std::size_t next = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
      if (sizes[i] == 0) continue;
      source[next] = static_cast<std::int32_t>(i / static_cast<std::size_t>(n));
      destination[next] = static_cast<std::int32_t>(i % static_cast<std::size_t>(n));
      bytes[next++] = static_cast<double>(sizes[i]);
    }
    traffic_ = {n, static_cast<std::int64_t>(count_), source, destination, bytes, nullptr};
  }
  ~Entries() { std::free(memory_); }
  Entries(const Entries &) = delete;
  Entries &operator=(const Entries &) = delete;

  const rankwise_traffic *traffic() const { return memory_ != nullptr ? &traffic_ : nullptr; }

 private:
  std::size_t count_ = 0;
  void *memory_ = nullptr;
  rankwise_traffic traffic_{};
};

}  // namespace

Error gather_places(Members &members, int root) {
  const bool receives = members.rank() == root;
  if (members.places_at != root) {
    const rankwise_whereabouts own = reordering::whereabouts();
    const auto n = static_cast<std::size_t>(members.size());
    if (receives && members.places == nullptr) {
      members.places = static_cast<rankwise_whereabouts *>(std::malloc(n * sizeof(rankwise_whereabouts)));
      if (members.places == nullptr) return internal_fail;
    }
    if (!mpi->gather(members.copy(), root, &own, sizeof own, members.places)) return mpit_fail;
    members.places_at = root;
  }
  if (receives) remember(members);
  return success;
}

void forget(const rankwise_whereabouts *places) {
  const Guard guard(lock);
  if (places == latest) latest = nullptr;
}

Error find(const unsigned long *sizes, int n, int *k) {
  const Guard guard(lock);
  if (latest == nullptr || n != latest_count) return invalid_comm;
  const Entries entries(sizes, n);
  if (entries.traffic() == nullptr) return internal_fail;
  const reordering::Order order = reordering::find_order_here(*entries.traffic(), latest, nullptr);
  const bool failed = order.outcome == reordering::Outcome::failed || order.new_rank == nullptr;
  if (failed) say("MPI_M_mapping: %s", order.problem);
  for (int i = 0; !failed && i < n; ++i) k[i] = order.new_rank[i];
  std::free(order.new_rank);
  return failed ? internal_fail : success;
}

}  // namespace rankwise::introspection::mapping
