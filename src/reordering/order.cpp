#include "../runtime/find_order.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "placement_library.h"

namespace rankwise::reordering {
namespace {

constexpr char no_memory[] = "there is not enough memory";
constexpr char refused[] = "the MPI library refused to tell where the processes are";

// The report of each process to rank 0.
struct Report {
  rankwise_whereabouts where;
  std::uint64_t ready;  // it has enough memory
};

// The message from rank 0 to all, before the ranks.
struct Verdict {
  Outcome outcome;
  double before;
  double after;
  bool machine_is_bad;
  char problem[sizeof Order::problem];
};

void fail(Verdict &verdict, const char *problem) {
  verdict.outcome = Outcome::failed;
  snprintf(verdict.problem, sizeof verdict.problem, "%s", problem);
}

// Rank 0's part. All are ready.
void decide(const rankwise_traffic &traffic, const rankwise_whereabouts *where, int size, const char *machine,
            std::int32_t *new_rank, Verdict &verdict) {
  const auto new_ranks = placement_library::function<decltype(&rankwise_new_ranks)>(
      "rankwise_new_ranks", verdict.problem, sizeof verdict.problem);
  if (new_ranks == nullptr) return;
  switch (new_ranks(&traffic, where, size, machine, new_rank, &verdict.before, &verdict.after, verdict.problem,
                    sizeof verdict.problem)) {
    case RANKWISE_REORDERED:
      verdict.outcome = Outcome::reordered;
      return;
    case RANKWISE_KEPT:
      verdict.outcome = Outcome::kept;
      return;
    case RANKWISE_BAD_MACHINE:
      verdict.machine_is_bad = true;
      return;
    default:
      return;
  }
}

// Gathers the locations of all processes, and decides.
void decide_at_root(const Communication &mpi, Handle copy, const Report &own, int size, const rankwise_traffic &traffic,
                    const char *machine, Report *reports, int *new_rank, Verdict &verdict) {
  if (!mpi.gather(copy, 0, &own, sizeof own, reports)) return fail(verdict, refused);
  bool ready = true;
  for (int i = 0; i < size; ++i) ready = ready && reports[i].ready != 0;
  if (!ready) return fail(verdict, no_memory);
  const auto n = static_cast<std::size_t>(size);
  auto *where = static_cast<rankwise_whereabouts *>(std::malloc(n * sizeof(rankwise_whereabouts)));
  if (where == nullptr) return fail(verdict, no_memory);
  for (std::size_t i = 0; i < n; ++i) where[i] = reports[i].where;
  decide(traffic, where, size, machine, new_rank, verdict);
  std::free(where);
}

void keep(int *new_rank, int size) {
  for (int i = 0; new_rank != nullptr && i < size; ++i) new_rank[i] = i;
}

void take(const Verdict &verdict, int size, Order &order) {
  order.outcome = verdict.outcome;
  order.before = verdict.before;
  order.after = verdict.after;
  order.machine_is_bad = verdict.machine_is_bad;
  memcpy(order.problem, verdict.problem, sizeof order.problem);
  if (order.outcome != Outcome::reordered) keep(order.new_rank, size);
}

}  // namespace

Order find_order(const Communication &mpi, Handle copy, int rank, int size, const rankwise_traffic *traffic,
                 const char *machine) {
  const auto n = static_cast<std::size_t>(size);
  Order order;
  order.new_rank = static_cast<int *>(std::malloc(n * sizeof(int)));
  auto *reports = rank == 0 ? static_cast<Report *>(std::malloc(n * sizeof(Report))) : nullptr;
  const Report own{whereabouts(), order.new_rank != nullptr ? 1U : 0U};
  Verdict verdict{};
  fail(verdict, no_memory);
  // If memory is exhausted, rank 0 skips the exchange.
  bool asks = reports != nullptr && traffic != nullptr;
  bool done = mpi.broadcast(copy, 0, &asks, sizeof asks);
  if (done && reports != nullptr && traffic != nullptr) {
    decide_at_root(mpi, copy, own, size, *traffic, machine, reports, order.new_rank, verdict);
  } else if (done && asks && rank != 0) {
    done = mpi.gather(copy, 0, &own, sizeof own, nullptr);
  }
  std::free(reports);
  done = done && mpi.broadcast(copy, 0, &verdict, sizeof verdict);
  if (done && verdict.outcome == Outcome::reordered) done = mpi.broadcast(copy, 0, order.new_rank, n * sizeof(int));
  if (!done) fail(verdict, refused);
  take(verdict, size, order);
  return order;
}

Order find_order_here(const rankwise_traffic &traffic, const rankwise_whereabouts *where, const char *machine) {
  Order order;
  order.new_rank = static_cast<int *>(std::malloc(static_cast<std::size_t>(traffic.ranks) * sizeof(int)));
  Verdict verdict{};
  fail(verdict, no_memory);
  if (order.new_rank != nullptr) decide(traffic, where, traffic.ranks, machine, order.new_rank, verdict);
  take(verdict, traffic.ranks, order);
  return order;
}

int pairs_by_distance(const rankwise_whereabouts *where, std::int32_t processes, const char *machine,
                      std::int32_t *partner, std::int32_t *distances, char *problem, std::size_t room) {
  const auto pairs =
      placement_library::function<decltype(&rankwise_pairs_by_distance)>("rankwise_pairs_by_distance", problem, room);
  if (pairs == nullptr) return RANKWISE_NOT_REORDERED;
  return pairs(where, processes, machine, partner, distances, problem, room);
}

int evaluate_order(const rankwise_traffic *traffic, const rankwise_whereabouts *where, std::int32_t processes,
                   const char *machine, const std::int32_t *new_rank, const double *per_message, const double *per_byte,
                   const double *block, rankwise_outlook *outlook, char *problem, std::size_t room) {
  const auto evaluate =
      placement_library::function<decltype(&rankwise_evaluate_order)>("rankwise_evaluate_order", problem, room);
  if (evaluate == nullptr) return RANKWISE_NOT_REORDERED;
  return evaluate(traffic, where, processes, machine, new_rank, per_message, per_byte, block, outlook, problem, room);
}

}  // namespace rankwise::reordering
