#include "reorder.h"

#include <cstdlib>

#include "../runtime/find_order.h"
#include "../runtime/report.h"
#include "counts.h"
#include "sessions.h"
#include "traffic.h"

namespace rankwise::introspection {
namespace {

// A session's processes, and the rank of each in the communicator that is to be reordered.
class Group {
 public:
  ~Group() {
    std::free(ranks_);
    if (members_ != nullptr) members_->release();
  }
  Group() = default;
  Group(const Group &) = delete;
  Group &operator=(const Group &) = delete;

  void take(Members *members) { members_ = members; }
  const Members &members() const { return *members_; }
  int rank_of(int member) const { return ranks_[member]; }

  Error are_those_of(Handle comm) {
    Processes processes;
    const bool known = mpi->processes(comm, &processes);
    std::free(processes.world_ranks);
    if (!known) return mpit_fail;
    if (processes.size != members_->size()) return invalid_comm;
    ranks_ = mpi->ranks_in(members_->copy(), comm);
    if (ranks_ == nullptr) return mpit_fail;
    for (int i = 0; i < members_->size(); ++i) {
      if (ranks_[i] < 0) return invalid_comm;
    }
    return success;
  }

 private:
  Members *members_ = nullptr;
  int *ranks_ = nullptr;
};

Error why_failed(const reordering::Order &order, const Members &members) {
  if (members.rank() == 0) say("MPI_M_reorder: %s", order.problem);
  return order.machine_is_bad ? invalid_machine : internal_fail;
}

}  // namespace

Error reorder(int id, Handle comm, const char *machine, Handle *optimised, int *k) {
  *optimised = mpi->none();
  Group group;
  Rows sent;
  Rows asked;
  Error error = sent.of_this(id, p2p_only | osc_only);
  if (error != success) return error;
  group.take(sent.keep_members());
  error = asked.of_this(id, user_only | coll_only | osc_only);
  if (error == success) error = group.are_those_of(comm);
  if (error != success) return error;
  const Members &members = group.members();
  Traffic traffic;
  error = traffic.gather(members, sent, asked);
  if (error != success) return error;
  reordering::Order order =
      reordering::find_order(*mpi, members.copy(), members.rank(), members.size(), traffic.get(), machine);
  if (order.outcome == reordering::Outcome::failed || order.new_rank == nullptr) {
    error = why_failed(order, members);
  } else {
    // RATIONALE: a member now has the role of another one, and that one's rank in `comm`.
    for (int i = 0; k != nullptr && i < members.size(); ++i) k[group.rank_of(i)] = group.rank_of(order.new_rank[i]);
    const int own = group.rank_of(order.new_rank[members.rank()]);
    if (!mpi->split(comm, 0, own, optimised)) error = mpit_fail;
  }
  std::free(order.new_rank);
  return error;
}

namespace {

// Any tag that programs hardly use: MPI has at least 32767 (the standard, 9.1.2).
constexpr int tag = 32749;

// The process that has rank `own` in the new order if that is an order of `size` ranks; else -1.
int place_of(int own, const int *k, int size) {
  auto *seen = static_cast<unsigned char *>(std::calloc(static_cast<std::size_t>(size), 1));
  int new_rank = -1;
  bool is_order = seen != nullptr;
  for (int i = 0; is_order && i < size; ++i) {
    is_order = k[i] >= 0 && k[i] < size && seen[k[i]]++ == 0;
    if (is_order && k[i] == own) new_rank = i;
  }
  std::free(seen);
  return is_order ? new_rank : -1;
}

}  // namespace

Error redistribute(const Blocks &blocks, Handle original, const int *k) {
  if (!is_open()) return missing_init;
  Processes processes;
  const bool known = mpi->processes(original, &processes);
  std::free(processes.world_ranks);
  if (!known) return mpit_fail;
  // A role's block goes to the process that now has this role, and so this rank in the new order.
  const int to = k != nullptr ? place_of(processes.rank, k, processes.size) : -1;
  if (to < 0) return invalid_order;
  const Exchange exchange{.send = blocks.send,
                          .send_count = blocks.send_count,
                          .to = to,
                          .receive = blocks.receive,
                          .receive_count = blocks.receive_count,
                          .from = k[processes.rank],
                          .datatype = blocks.datatype,
                          .tag = tag};
  const bool done = to == processes.rank ? mpi->copy(original, exchange) : mpi->exchange(original, exchange);
  return done ? success : mpit_fail;
}

}  // namespace rankwise::introspection
