#include "reorder.h"

#include <cstdlib>

#include "../runtime/find_order.h"
#include "../runtime/report.h"
#include "pattern.h"
#include "sessions.h"

namespace rankwise::introspection {
Error reorder(int id, Handle comm, const char *machine, Handle *optimised, int *k) {
  *optimised = mpi->none();
  Pattern pattern;
  Error error = pattern.of(id, comm);
  if (error != success) return error;
  Traffic traffic;
  error = pattern.gather(traffic);
  if (error != success) return error;
  const Members &members = pattern.members();
  const reordering::Order order =
      reordering::find_order(*mpi, members.copy(), members.rank(), members.size(), traffic.get(), machine);
  if (order.outcome == reordering::Outcome::failed || order.new_rank == nullptr) {
    if (members.rank() == 0) say("MPI_M_reorder: %s", order.problem);
    error = order.machine_is_bad ? invalid_machine : internal_fail;
  } else {
    error = pattern.reorder(comm, order.new_rank, optimised, k);
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
