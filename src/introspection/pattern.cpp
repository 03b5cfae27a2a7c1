#include "pattern.h"

#include <cstdlib>

#include "counts.h"

namespace rankwise::introspection {

Pattern::~Pattern() {
  std::free(ranks_);
  if (members_ != nullptr) members_->release();
}

Error Pattern::of(int id, Handle comm) {
  Error error = sent_.of_this(id, p2p_only | osc_only);
  if (error != success) return error;
  members_ = sent_.keep_members();
  error = asked_.of_this(id, user_only | coll_only | osc_only);
  return error == success ? find_ranks(comm) : error;
}

Error Pattern::find_ranks(Handle comm) {
  Processes processes;
  const bool known = mpi->processes(comm, &processes);
  std::free(processes.world_ranks);
  if (!known) return mpit_fail;
  if (processes.size != members().size()) return invalid_comm;
  ranks_ = mpi->ranks_in(members().copy(), comm);
  if (ranks_ == nullptr) return mpit_fail;
  for (int i = 0; i < members().size(); ++i) {
    if (ranks_[i] < 0) return invalid_comm;
  }
  return success;
}

Error Pattern::reorder(Handle comm, const int *new_rank, Handle *optimised, int *k) const {
  // RATIONALE: a member now has the role of another one, and that one's rank in `comm`.
  for (int i = 0; k != nullptr && i < members().size(); ++i) k[ranks_[i]] = ranks_[new_rank[i]];
  return mpi->split(comm, 0, ranks_[new_rank[members().rank()]], optimised) ? success : mpit_fail;
}

}  // namespace rankwise::introspection
