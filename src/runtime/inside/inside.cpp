#include "inside.h"

#include <strings.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "../generated/procedures.h"
#include "../keys.h"
#include "../lock.h"
#include "../process.h"
#include "../report.h"
#include "../requests.h"
#include "../wrappers/booking.h"
#include "cause.h"
#include "operations.h"

namespace rankwise::inside {
namespace {

// The calling thread, if the library's activity must be booked.
Thread *recording_thread() {
  if (!active || !threads::recording || process::paused) return nullptr;
  Thread *thread = threads::current;
  // Libraries have internal threads, which may send for operations in progress.
  if (thread == nullptr) thread = threads::attach();
  return thread;
}

// MPI_Start, MPI_Startall: the collective that is started, if it is a single one.
Cause started_collective(const Thread &thread) {
  Cause cause;
  for (int i = 0; i < thread.of_call.starting_count; ++i) {
    const requests::Request &request = thread.of_call.starting[i];
    if (request.kind != requests::Kind::collective) continue;
    const Procedure procedure = keys::procedure(request.key);
    if (cause.known() && (cause.procedure != procedure || cause.communicator != request.communicator)) return {};
    cause.procedure = procedure;
    cause.communicator = request.communicator;
  }
  return cause;
}

// The running call, if messages of the library's own can belong to it.
Cause running_call(const Thread &thread) {
  const std::uint64_t key = thread.record->inside_key;
  if (key == 0) return {};
  const Procedure procedure = keys::procedure(key);
  if (procedure == Procedure::MPI_Start || procedure == Procedure::MPI_Startall) return started_collective(thread);
  if (!has_messages_of_its_own[static_cast<int>(procedure)]) return {};
  const rankwise_thread *caller = outlives_its_call[static_cast<int>(procedure)] ? nullptr : thread.record;
  return {procedure, keys::communicator(key), thread.record->inside_since, {}, caller};
}

// While Rankwise itself communicates, operations of the program in progress continue; all other messages are ours.
bool is_ours(const Thread &thread, const Operation &operation) {
  return thread.own_traffic && (operation.key == 0 || (!operations::find(operation.key).known() &&
                                                       !operations::find(operation.above).known()));
}

struct Found {
  Cause cause;
  bool is_running;        // the cause is the running call
  std::uint64_t key = 0;  // with which the cause was found or learned
};

// Communicators' late calls: a thread adds one while another progresses an earlier one.
Lock late;

bool has_late_calls(const Operation &operation) {
  if (operation.late_calls == nullptr) return false;
  const Guard guard(late, threads::several);
  return !operation.late_calls->is_empty();
}

// The late call whose operation this is, or unknown.
Cause take_late(const Operation &operation) {
  if (operation.late_calls == nullptr) return {};
  const Guard guard(late, threads::several);
  if (operation.late_calls->is_empty()) return {};
  return {operation.late_calls->procedure, operation.communicator, 0, operation.late_calls->take()};
}

// Whether a call may have started an operation that is not known yet.
bool may_start(const Cause &call, const Operation &operation) {
  if (!call.known()) return false;
  const bool on_it =
      operation.communicator == RANKWISE_COMMUNICATOR_OTHER || operation.communicator == call.communicator;
  if (!has_late_calls(operation)) {
    // Constructors use other communicators in addition to their own entry: MPI_Intercomm_create has
    // two.
    return on_it || constructor_letter(call.procedure) != '?';
  }
  return on_it && outlives_its_call[static_cast<int>(call.procedure)];
}

bool outlives(const Cause &cause) { return outlives_its_call[static_cast<int>(cause.procedure)]; }

Found found(const Thread &thread, const Cause &cause, std::uint64_t key) {
  return {cause, thread.record->inside_key != 0 && cause.start == thread.record->inside_since, key};
}

Found learn(const Cause &running, std::uint64_t key) {
  operations::learn(key, running);
  return {running, true, key};
}

// Non-blocking collectives that may use communicators within a node, with separate tags there.
constexpr bool goes_below(Procedure procedure) {
  switch (procedure) {
    case Procedure::MPI_Ibcast:
    case Procedure::MPI_Iallreduce:
    case Procedure::MPI_Ireduce:
    case Procedure::MPI_Iscan:
    case Procedure::MPI_Bcast_init:
    case Procedure::MPI_Allreduce_init:
    case Procedure::MPI_Reduce_init:
    case Procedure::MPI_Scan_init:
    case Procedure::MPI_Comm_idup:
    case Procedure::MPI_Comm_idup_with_info:
      return true;
    default:
      return false;
  }
}

// Whether a message below, with the tag of an operation above, may still belong to the running call. A blocking
// collective that the library carries out by a non-blocking one below counts its tags separately there.
bool may_have_started_below(const Cause &running, const Cause &above) {
  if (!running.known() || outlives(running) || running.communicator != above.communicator) return false;
  return !above.is_under_way() || !goes_below(above.procedure);
}

Found find_cause_below(const Thread &thread, const Operation &operation) {
  // Only blocking calls are learned by the key below: later operations are known by the upper one, wherever they send.
  const Cause below = operations::find(operation.key);
  if (below.known() && below.is_under_way()) return found(thread, below, operation.key);
  const Cause above = operations::find(operation.above);
  const Cause running = running_call(thread);
  if (above.known() && !may_have_started_below(running, above)) return found(thread, above, operation.above);
  if (!running.known()) return found(thread, below, operation.key);
  return learn(running, outlives(running) ? operation.above : operation.key);
}

// The cause of an operation; if the running call has just started it, it is learned.
Found find_cause(const Thread &thread, const Operation &operation) {
  if (operation.key == 0) return {running_call(thread), true};
  if (operation.is_below()) return find_cause_below(thread, operation);
  const Cause known = operations::find(operation.key);
  if (known.known()) return found(thread, known, operation.key);
  const Cause running = running_call(thread);
  if (may_start(running, operation)) return learn(running, operation.key);
  const Cause taken = take_late(operation);
  if (taken.known()) operations::learn(operation.key, taken);
  return {taken, false, operation.key};
}

}  // namespace

std::uint32_t operation_of(const Thread &thread, std::uint64_t start) {
  if (!thread.of_call.running.is_of(start)) return 0;
  for (const Running::Entry &entry : thread.of_call.running) {
    if (entry.operation != 0) return operations::short_name(entry.operation);
  }
  return 0;
}

namespace {

// Whether a word equals a name without `left_out` bytes from `from` on, ignoring case.
bool is_without(const char *word, std::size_t length, const char *name, std::size_t from, std::size_t left_out) {
  return length + left_out == strlen(name) && strncasecmp(word, name, from) == 0 &&
         strncasecmp(word + from, name + from + left_out, length - from) == 0;
}

// Whether a word names a procedure, or its blocking form; both without MPI_. `run --inside` reads them in the same way:
// python/rankwise/launch/inside_options.py.
bool names(const char *word, std::size_t length, const char *name) {
  static constexpr char prepared[] = "_init";
  constexpr std::size_t prepared_length = sizeof prepared - 1;
  const std::size_t whole = strlen(name);
  if (is_without(word, length, name, 0, 0) || (name[0] == 'I' && is_without(word, length, name, 0, 1))) return true;
  if (whole > prepared_length && strcmp(name + whole - prepared_length, prepared) == 0 &&
      is_without(word, length, name, whole - prepared_length, prepared_length)) {
    return true;
  }
  const char *inner = strstr(name, "_i");  // Comm_idup
  return inner != nullptr && is_without(word, length, name, static_cast<std::size_t>(inner + 1 - name), 1);
}

void choose_by_name(const char *word, std::size_t length) {
  static constexpr char prefix[] = "MPI_";
  constexpr std::size_t prefix_length = sizeof prefix - 1;
  const char *bare = word;
  std::size_t left = length;
  if (left > prefix_length && strncasecmp(word, prefix, prefix_length) == 0) {
    bare += prefix_length;
    left -= prefix_length;
  }
  bool found = false;
  for (int i = 0; i < procedure_count; ++i) {
    const char *name = procedure_facts[i].name;
    if (has_messages_of_its_own[i] && name[0] != '\0' && names(bare, left, name + prefix_length)) {
      chosen[i] = found = true;
    }
  }
  if (found) return;
  say_once(
      "RANKWISE_ONLY: no MPI procedure that has messages inside is called '%.*s'; names are MPI's, such as "
      "Bcast,Allreduce",
      static_cast<int>(length), word);
}

}  // namespace

void choose() {
  const char *list = std::getenv("RANKWISE_ONLY");
  const bool all = list == nullptr || *list == '\0';
  for (bool &one : chosen) one = all;
  static constexpr char between[] = ", ";
  for (const char *word = list; !all && *(word += strspn(word, between)) != '\0';) {
    const std::size_t length = strcspn(word, between);
    choose_by_name(word, length);
    word += length;
  }
  chosen[static_cast<int>(Procedure::none)] = all;
}

namespace {

// For an operation that may have been started by another call.
[[gnu::noinline]] void sent_for_operation(Thread &thread, std::uint32_t peer, std::uint64_t bytes,
                                          const Operation &operation) {
  Found found = find_cause(thread, operation);
  if (!found.cause.known()) found.cause.communicator = RANKWISE_COMMUNICATOR_OTHER;
  if (!chosen[static_cast<int>(found.cause.procedure)]) return;
  booking::add_message(thread, RANKWISE_MESSAGE_IN_COLLECTIVE, found.cause.procedure, found.cause.communicator, peer,
                       bytes);
  if (found.is_running) {
    thread.of_call.running.note(found.cause.start, {found.key, bytes, peer, 1});
  } else if (found.cause.kept.call != 0) {
    patterns::keep(found.cause.kept, peer, 1, bytes);
  }
}

}  // namespace

void sent(std::uint32_t peer, std::uint64_t bytes, const Operation &operation) {
  if (Thread *current = threads::current; current != nullptr && current->own_traffic) [[unlikely]] {
    current->own_peers[current->own_messages++ % Thread::most_own_peers] = peer;
  }
  Thread *thread = recording_thread();
  if (thread == nullptr || is_ours(*thread, operation)) return;
  const std::uint64_t running = thread->record->inside_key;
  const Procedure procedure = keys::procedure(running);
  if (operation.key != 0 || !has_messages_of_its_own[static_cast<int>(procedure)]) {
    return sent_for_operation(*thread, peer, bytes, operation);
  }
  // RATIONALE: a blocking call's message, without the detour through its cause.
  if (!chosen[static_cast<int>(procedure)]) return;
  const std::uint32_t communicator = keys::communicator(running);
  thread->sender = {running, keys::messages(RANKWISE_MESSAGE_IN_COLLECTIVE, procedure, communicator, 0)};
  booking::add_message(*thread, RANKWISE_MESSAGE_IN_COLLECTIVE, procedure, communicator, peer, bytes);
  thread->of_call.running.note(thread->record->inside_since, {0, bytes, peer, 1});
}

void posted(const Operation &operation) {
  if (operation.key == 0) return;
  Thread *thread = recording_thread();
  if (thread == nullptr || is_ours(*thread, operation)) return;
  const Found found = find_cause(*thread, operation);
  if (found.is_running) thread->of_call.running.note(found.cause.start, {found.key, 0, 0, 0});
}

Kept completed(Thread &thread, Procedure procedure, std::uint32_t communicator, int root, std::uint64_t size,
               std::uint64_t start) {
  // none: measures our own cost.
  if (procedure == Procedure::none || !chosen[static_cast<int>(procedure)]) return {};
  const Kept kept = patterns::count(procedure, communicator, root, size);
  if (kept.call == 0 || !thread.of_call.running.is_of(start)) return kept;
  if (thread.of_call.running.lost() != 0) patterns::lose(kept, thread.of_call.running.lost());
  Cause cause{procedure, communicator, start, kept};
  cause.complete = !outlives(cause);
  std::uint64_t taught = 0;
  for (const Running::Entry &entry : thread.of_call.running) {
    if (entry.messages != 0) patterns::keep(kept, entry.peer, entry.messages, entry.bytes);
    if (entry.operation != 0 && entry.operation != taught) {
      operations::learn(entry.operation, cause);
      taught = entry.operation;
    }
  }
  return kept;
}

void started(const Thread &thread, Procedure procedure, communicators::Communicator &communicator, std::uint64_t size,
             std::uint64_t start, Kept kept) {
  if (!tells_communicators) return;
  const bool in_steps = procedure == Procedure::MPI_Comm_idup || procedure == Procedure::MPI_Comm_idup_with_info;
  bool taught = false;
  if (thread.of_call.running.is_of(start)) {
    for (const Running::Entry &entry : thread.of_call.running) taught = taught || entry.operation != 0;
  }
  // Without data there may be nothing to send.
  if (!in_steps && (taught || size == 0)) return;
  const Guard guard(late, threads::several);
  communicator.late_calls.add(procedure, kept, in_steps);
}

}  // namespace rankwise::inside
