#include "profit.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../runtime/clock.h"
#include "../runtime/counters_file.h"
#include "../runtime/find_order.h"
#include "../runtime/report.h"
#include "message_costs.h"
#include "pattern.h"
#include "sessions.h"

namespace rankwise::introspection {
namespace {

// RATIONALE: the forecast is an estimate, and handing over data is certain to cost something.
constexpr double least_profit = 1.5;  // gain / cost
// A pattern is the same as long as its bytes travel hardly farther than they did after the latest decision.
constexpr double same_distance = 1.1;
// So many times the time of one exchange with all processes is what a decision takes at least.
constexpr double exchanges_of_a_decision = 20;
constexpr char no_cheaper[] = "kept: no order is cheaper";
constexpr char no_memory[] = "there is not enough memory";
constexpr std::size_t smallest_message = 1 << 14;  // that shows what a byte costs
constexpr std::size_t largest_message = std::size_t{1} << 18;

// The report of each process to rank 0.
struct Report {
  rankwise_whereabouts where;
  std::uint64_t ready;  // it has enough memory
  double in_mpi_s;      // during the session
  double bytes;         // to hand over
};

enum class Next : std::int32_t { go_on, keep, reorder, fail };

// What rank 0 has decided, for all.
struct Decision {
  Next next = Next::go_on;
  Error error = success;
  double gain = 0;
  double cost = 0;
  double distance = 0;
  char reason[sizeof Forecast::reason] = "";

  [[gnu::format(printf, 3, 4)]] void end(Next how, const char *format, ...) {
    next = how;
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
  }
  void fail(Error why, const char *problem) {
    error = why;
    end(Next::fail, "%s", problem);
  }
};

// Seconds as people write them.
struct Span {
  char text[32];
  explicit Span(double seconds) {
    const char *unit = seconds >= 1 ? "s" : seconds >= 1e-3 ? "ms" : "us";
    snprintf(text, sizeof text, "%.3g %s", seconds * (seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : 1e6), unit);
  }
};

// The memory of this process that it shares with no other: no less than what its work needs.
double private_bytes() {
  char text[128] = "";
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = ::read(file, text, sizeof text - 1);
  ::close(file);
  unsigned long size = 0, resident = 0, shared = 0;
  if (length <= 0 || sscanf(text, "%lu %lu %lu", &size, &resident, &shared) != 3 || resident < shared) return 0;
  return static_cast<double>(resident - shared) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

template <class T>
T *allocate(int count) {
  return static_cast<T *>(std::malloc((static_cast<std::size_t>(count) + 1) * sizeof(T)));
}

// The steps of a decision. Rank 0 decides after each whether it is the last one.
class Decider {
 public:
  Decider(const Pattern &pattern, const char *machine, Forecast &forecast)
      : pattern_(pattern), members_(pattern.members()), machine_(machine), forecast_(forecast) {}
  ~Decider() {
    std::free(reports_);
    std::free(where_);
    std::free(blocks_);
    std::free(order_.new_rank);
  }
  Decider(const Decider &) = delete;
  Decider &operator=(const Decider &) = delete;

  Error decide(const SessionTimes &times);

  const Decision &decision() const { return decision_; }
  const int *new_rank() const { return order_.new_rank; }

 private:
  bool is_root() const { return members_.rank() == 0; }
  // All learn what rank 0 has decided: whether it goes on, or an error.
  bool goes_on(Error *error);
  bool gather_reports(const SessionTimes &times);
  void look_at_time_left(const SessionTimes &times);
  void find_order(const Traffic &traffic);
  Error measure(const Traffic &traffic, MessageCosts &costs);
  void weigh(const Traffic &traffic, const MessageCosts &costs);
  bool evaluate(const rankwise_traffic &traffic, const int *new_rank, const MessageCosts &costs,
                rankwise_outlook &outlook);
  void fail_by(int error, const char *problem);

  const Pattern &pattern_;
  const Members &members_;
  const char *machine_;
  Forecast &forecast_;
  Decision decision_;
  reordering::Order order_;
  // On rank 0.
  Report *reports_ = nullptr;
  rankwise_whereabouts *where_ = nullptr;
  double *blocks_ = nullptr;
  double repetitions_ = 0;
  double in_mpi_s_ = 0;    // during the session, the mean of all processes
  double exchange_s_ = 0;  // of an exchange with all processes
};

void Decider::fail_by(int error, const char *problem) {
  decision_.fail(error == RANKWISE_BAD_MACHINE ? invalid_machine : internal_fail, problem);
}

bool Decider::goes_on(Error *error) {
  if (!mpi->broadcast(members_.copy(), 0, &decision_, sizeof decision_)) {
    *error = mpit_fail;
    return false;
  }
  *error = decision_.error;
  return decision_.next == Next::go_on;
}

bool Decider::gather_reports(const SessionTimes &times) {
  const int n = members_.size();
  if (is_root()) {
    reports_ = allocate<Report>(n);
    where_ = allocate<rankwise_whereabouts>(n);
    blocks_ = allocate<double>(n);
    if (reports_ == nullptr || where_ == nullptr || blocks_ == nullptr) {
      decision_.fail(internal_fail, no_memory);
    }
  }
  order_.new_rank = allocate<int>(n);
  Error error = success;
  if (!goes_on(&error)) return false;
  const Report own{reordering::whereabouts(), order_.new_rank != nullptr ? 1U : 0U,
                   std::min(times.in_mpi_s, times.active_s), forecast_.bytes < 0 ? private_bytes() : forecast_.bytes};
  // All processes are here now, so this takes as long as an exchange.
  const std::int64_t start = clock::nanoseconds(CLOCK_MONOTONIC);
  if (!mpi->gather(members_.copy(), 0, &own, sizeof own, reports_)) {
    decision_.fail(mpit_fail, "MPI failed");
    return false;
  }
  exchange_s_ = static_cast<double>(clock::nanoseconds(CLOCK_MONOTONIC) - start) * 1e-9;
  for (int i = 0; is_root() && i < n; ++i) {
    where_[i] = reports_[i].where;
    blocks_[i] = reports_[i].bytes;
    in_mpi_s_ += reports_[i].in_mpi_s / n;
    if (reports_[i].ready == 0) decision_.fail(internal_fail, no_memory);
  }
  return true;
}

void Decider::look_at_time_left(const SessionTimes &times) {
  repetitions_ = forecast_.repetitions;
  if (repetitions_ < 0) {
    // RATIONALE: a run of unknown length lasts as long again as it has lasted, in the median.
    const std::int64_t now = clock::nanoseconds(CLOCK_MONOTONIC);
    const double elapsed_s = static_cast<double>(now - counters_file::header()->loaded.monotonic_ns) * 1e-9;
    repetitions_ = times.active_s > 0 ? elapsed_s / times.active_s : 0;
  }
  const double left_s = in_mpi_s_ * repetitions_;
  if (left_s > exchanges_of_a_decision * exchange_s_) return;
  decision_.distance = forecast_.distance;
  decision_.end(Next::keep, "kept: only about %s of communication are left, too little for a decision",
                Span(left_s).text);
}

bool Decider::evaluate(const rankwise_traffic &traffic, const int *new_rank, const MessageCosts &costs,
                       rankwise_outlook &outlook) {
  char problem[sizeof order_.problem];
  const int error = reordering::evaluate_order(&traffic, where_, members_.size(), machine_, new_rank, costs.per_message,
                                               costs.per_byte, blocks_, &outlook, problem, sizeof problem);
  if (error != RANKWISE_KEPT) fail_by(error, problem);
  return error == RANKWISE_KEPT;
}

void Decider::find_order(const Traffic &traffic) {
  if (traffic.get() == nullptr) return decision_.fail(internal_fail, no_memory);
  double bytes = 0;
  for (std::int64_t i = 0; i < traffic.get()->entries; ++i) bytes += traffic.get()->bytes[i];
  rankwise_outlook present{};
  if (!evaluate(*traffic.get(), nullptr, {}, present)) return;
  decision_.distance = bytes > 0 ? present.hops / bytes : 0;
  if (forecast_.distance > 0 && decision_.distance <= same_distance * forecast_.distance) {
    decision_.distance = forecast_.distance;
    return decision_.end(Next::keep, "kept: bytes travel no farther than after the previous decision");
  }
  if (present.hops <= 0) return decision_.end(Next::keep, no_cheaper);
  std::free(order_.new_rank);
  order_ = reordering::find_order_here(*traffic.get(), where_, machine_);
  if (order_.outcome == reordering::Outcome::failed || order_.new_rank == nullptr) {
    return decision_.fail(order_.machine_is_bad ? invalid_machine : internal_fail, order_.problem);
  }
  if (order_.outcome == reordering::Outcome::kept) decision_.end(Next::keep, no_cheaper);
}

// Of the messages between processes, the mean size.
std::size_t typical_message(const Traffic &traffic) {
  double bytes = 0;
  double messages = 0;
  for (std::int64_t i = 0; i < traffic.get()->entries; ++i) {
    bytes += traffic.get()->bytes[i];
    messages += traffic.messages()[i];
  }
  const double size = messages > 0 ? bytes / messages : 0;
  return std::min(std::max(static_cast<std::size_t>(std::min(size, 1e9)), smallest_message), largest_message);
}

Error Decider::measure(const Traffic &traffic, MessageCosts &costs) {
  Measurement wish{};
  if (is_root()) {
    wish.partner = allocate<std::int32_t>(RANKWISE_MOST_DISTANCES * members_.size());
    char problem[sizeof order_.problem];
    const int error = wish.partner == nullptr
                          ? RANKWISE_NOT_REORDERED
                          : reordering::pairs_by_distance(where_, members_.size(), machine_, wish.partner,
                                                          &wish.distances, problem, sizeof problem);
    if (error != RANKWISE_KEPT) wish.distances = 0;
    wish.bytes = typical_message(traffic);
  }
  const bool done = measure_messages(members_, wish, &costs);
  std::free(wish.partner);
  return done ? success : internal_fail;
}

void Decider::weigh(const Traffic &traffic, const MessageCosts &costs) {
  rankwise_traffic with_messages = *traffic.get();
  with_messages.messages = traffic.messages();
  rankwise_outlook before{};
  rankwise_outlook after{};
  if (!evaluate(with_messages, nullptr, costs, before)) return;
  if (!evaluate(with_messages, order_.new_rank, costs, after)) return;
  // RATIONALE: messages may overlap with each other and with computation, and time in MPI may be waiting, which the
  // order does not change. So the smaller of two estimates counts: the time of the messages, and their share of the
  // time in MPI.
  const double share = before.seconds > 0 ? std::max(1 - after.seconds / before.seconds, 0.0) : 0;
  const double each = std::min(std::max(before.seconds - after.seconds, 0.0), in_mpi_s_ * share);
  decision_.gain = each * repetitions_;
  decision_.cost = after.moving + 2 * exchange_s_;  // a communicator is made as well
  const bool pays = decision_.gain > least_profit * decision_.cost;
  // An order that does not pay now may pay later: the next call decides again.
  decision_.distance *= pays ? after.hops / before.hops : 0;
  decision_.end(pays ? Next::reorder : Next::keep,
                "%s: a better order saves about %s in %.3g repetitions, and handing over the data takes about %s",
                pays ? "reordered" : "kept", Span(decision_.gain).text, repetitions_, Span(decision_.cost).text);
}

Error Decider::decide(const SessionTimes &times) {
  Error error = success;
  if (forecast_.repetitions == 0) {  // the same on all: this needs no message
    decision_.distance = forecast_.distance;
    decision_.end(Next::keep, "kept: nothing of the communication is left");
    return success;
  }
  if (!gather_reports(times)) return decision_.error != success ? decision_.error : mpit_fail;
  if (is_root() && decision_.next == Next::go_on) look_at_time_left(times);
  if (!goes_on(&error)) return error;
  Traffic traffic;
  error = pattern_.gather(traffic);
  if (error != success) {
    decision_.fail(error, "the messages can't be gathered");
    return error;
  }
  if (is_root()) find_order(traffic);
  if (!goes_on(&error)) return error;
  MessageCosts costs{};
  error = measure(traffic, costs);
  if (error != success) {
    decision_.fail(error, "the costs of messages can't be measured");
    return error;
  }
  if (is_root()) weigh(traffic, costs);
  static_cast<void>(goes_on(&error));
  if (error != success || decision_.next != Next::reorder) return error;
  const std::size_t bytes = static_cast<std::size_t>(members_.size()) * sizeof(int);
  return mpi->broadcast(members_.copy(), 0, order_.new_rank, bytes) ? success : mpit_fail;
}

}  // namespace

Error reorder_if_profitable(int id, Handle comm, const char *machine, Forecast *forecast, Handle *optimised, int *k) {
  *optimised = mpi->none();
  Pattern pattern;
  SessionTimes during;
  Error error = pattern.of(id, comm);
  if (error == success) error = times(id, &during);
  if (error != success) return error;
  Decider decider(pattern, machine, *forecast);
  error = decider.decide(during);
  const Decision &decision = decider.decision();
  if (error != success) {
    if (pattern.members().rank() == 0) say("MPI_M_reorder_if_profitable: %s", decision.reason);
    return error;
  }
  const bool reorders = decision.next == Next::reorder;
  forecast->reordered = reorders ? 1 : 0;
  forecast->gain = decision.gain;
  forecast->cost = decision.cost;
  forecast->distance = decision.distance;
  memcpy(forecast->reason, decision.reason, sizeof forecast->reason);
  if (reorders) return pattern.reorder(comm, decider.new_rank(), optimised, k);
  for (int i = 0; k != nullptr && i < pattern.members().size(); ++i) k[i] = i;
  return success;
}

}  // namespace rankwise::introspection
