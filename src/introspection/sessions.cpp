#include "sessions.h"

#include <cstdlib>
#include <new>

#include "../runtime/builds/builds.h"
#include "../runtime/clock.h"
#include "../runtime/counters_file.h"
#include "../runtime/dispatch/library.h"
#include "../runtime/handle_table.h"
#include "../runtime/logical.h"
#include "../runtime/thread.h"
#include "mapping.h"
#include "so_far.h"

namespace rankwise::introspection {
namespace {

enum class State { active, suspended };

struct Session {
  std::uint64_t handle = 0;  // its number
  State state = State::active;
  Members *members = nullptr;
  // While active: minus the values when it was started or continued.
  Counts counts;
  std::int64_t active_ns = 0;
  std::uint64_t ticks_in_mpi = 0;
  Session *previous = nullptr;
  Session *next = nullptr;
  Session *next_unused = nullptr;

  void clear() {
    counts.clear();
    active_ns = 0;
    ticks_in_mpi = 0;
  }
  void release() {
    counts.destroy();
    members = nullptr;
  }
};

// Not held during communication, which needs other processes: these may work on another session first.
Lock lock;
bool opened = false;
HandleTable<Session> table;
Session *first = nullptr;
Session *last = nullptr;
int latest = 0;

bool is_valid(int flags) { return flags > 0 && (flags & ~all_flags) == 0; }

Session *find(int id) { return id > 0 ? table.find(static_cast<std::uint64_t>(id)) : nullptr; }

// Numbers are reused only when all have been used.
int next_id() {
  constexpr int most = 0x7FFFFFFF;
  for (int tries = 0; tries < most; ++tries) {
    latest = latest == most ? 1 : latest + 1;
    if (find(latest) == nullptr) return latest;
  }
  return 0;
}

void activate(Session &session) {
  session.state = State::active;
  session.counts.subtract(*session.members);
  session.ticks_in_mpi -= ticks_in_mpi();
  session.active_ns -= clock::nanoseconds(CLOCK_MONOTONIC);
}

void pause(Session &session) {
  session.active_ns += clock::nanoseconds(CLOCK_MONOTONIC);
  session.ticks_in_mpi += ticks_in_mpi();
  session.counts.add(*session.members);
  session.state = State::suspended;
  logical::no_longer_want();
}

// Removes it; the caller must release its reference to the members, without the lock.
Members *take_out(Session *session) {
  Members *members = session->members;
  (session->previous != nullptr ? session->previous->next : first) = session->next;
  (session->next != nullptr ? session->next->previous : last) = session->previous;
  table.hide(session);
  table.drop(session);
  return members;
}

// Shared by all functions on a session. `each` gets one session, or all in turn, in the order of their start.
template <class Each>
Error on(int id, Each each) {
  const Guard guard(lock);
  if (!is_open()) return missing_init;
  if (id != all_sessions) {
    Session *session = find(id);
    return session == nullptr ? invalid_msid : each(*session, false);
  }
  for (Session *session = first; session != nullptr; session = session->next) {
    const Error error = each(*session, true);
    if (error != success) return error;
  }
  return success;
}

bool all_suspended() {
  for (const Session *session = first; session != nullptr; session = session->next) {
    if (session->state == State::active) return false;
  }
  return true;
}

// MPI's own answer to MPI_Initialized and MPI_Finalized.
bool says(const char *name) {
  const auto function = reinterpret_cast<int (*)(int *)>(library::function(name));
  int flag = 0;
  return function != nullptr && function(&flag) == 0 && flag != 0;
}

// Frees the sessions that may be freed, one at a time: each is a step that the other members take as well.
Error free_all() {
  for (;;) {
    lock.acquire();
    Members *members = first == nullptr ? nullptr : take_out(first);
    lock.release();
    if (members == nullptr) return success;
    members->release();
  }
}

}  // namespace

bool is_open() { return opened && threads::recording; }

Error open() {
  const Guard guard(lock);
  if (is_open()) return multiple_call;
  if (!threads::recording) return says("PMPI_Initialized") && !says("PMPI_Finalized") ? internal_fail : mpit_fail;
  mpi = builds::communication(static_cast<rankwise_abi>(counters_file::header()->abi));
  if (mpi == nullptr) return internal_fail;
  opened = true;
  return success;
}

Error close() {
  {
    const Guard guard(lock);
    if (!is_open()) return missing_init;
    if (!all_suspended()) return session_still_active;
  }
  free_all();
  Members::detach_all();
  const Guard guard(lock);
  opened = false;
  return success;
}

Error start(Handle comm, int *id) {
  {
    const Guard guard(lock);
    if (!is_open()) return missing_init;
    if (id == nullptr) return invalid_msid;
  }
  Error error = success;
  Members *members = Members::of(comm, &error);
  if (members == nullptr) return error;
  Counts counts;
  if (!counts.create(members->size())) {
    members->release();
    return internal_fail;
  }
  const Guard guard(lock);
  const int number = next_id();
  Session *session = nullptr;
  if (number != 0 && logical::want()) {
    session = table.add(static_cast<std::uint64_t>(number), [&](Session &made) {
      made.members = members;
      made.counts = counts;
      made.previous = last;
    });
    if (session == nullptr) logical::no_longer_want();
  }
  if (session == nullptr) {
    counts.destroy();
    members->release();
    return number == 0 ? session_overflow : internal_fail;
  }
  (last != nullptr ? last->next : first) = session;
  last = session;
  *id = number;
  activate(*session);
  return success;
}

Error suspend(int id) {
  return on(id, [](Session &session, bool one_of_all) {
    if (session.state == State::suspended) return one_of_all ? success : multiple_call;
    pause(session);
    return success;
  });
}

Error resume(int id) {
  return on(id, [](Session &session, bool one_of_all) {
    if (session.state == State::active) return one_of_all ? success : multiple_call;
    if (!logical::want()) return internal_fail;
    activate(session);
    return success;
  });
}

Error reset(int id) {
  const Guard guard(lock);
  if (!is_open()) return missing_init;
  if (id == all_sessions) {
    if (!all_suspended()) return session_not_suspended;
    for (Session *session = first; session != nullptr; session = session->next) session->clear();
    return success;
  }
  Session *session = find(id);
  if (session == nullptr) return invalid_msid;
  if (session->state != State::suspended) return session_not_suspended;
  session->clear();
  return success;
}

Error free(int id) {
  Members *members = nullptr;
  {
    const Guard guard(lock);
    if (!is_open()) return missing_init;
    if (id == all_sessions) {
      if (!all_suspended()) return session_not_suspended;
    } else {
      Session *session = find(id);
      if (session == nullptr) return invalid_msid;
      if (session->state != State::suspended) return session_not_suspended;
      members = take_out(session);
    }
  }
  if (members == nullptr) return free_all();
  members->release();
  return success;
}

Error times(int id, SessionTimes *times) {
  if (id == all_sessions) return is_open() ? invalid_msid : missing_init;
  return on(id, [=](Session &session, bool /*one_of_all*/) {
    if (session.state != State::suspended) return session_not_suspended;
    times->active_s = static_cast<double>(session.active_ns) * 1e-9;
    times->in_mpi_s = static_cast<double>(session.ticks_in_mpi) * tick_seconds();
    return success;
  });
}

Error information(int id, int *thread_level, int *members) {
  if (id == all_sessions) return is_open() ? invalid_msid : missing_init;
  return on(id, [=](Session &session, bool /*one_of_all*/) {
    if (thread_level != nullptr) *thread_level = mpi->thread_level();
    if (members != nullptr) *members = session.members->size();
    return success;
  });
}

// (A hook may have stopped since.)
Error visible(int id, int *what) {
  if (id == all_sessions) return is_open() ? invalid_msid : missing_init;
  return on(id, [=](Session &session, bool /*one_of_all*/) {
    if (what == nullptr) return success;
    const Visible known = session.members->visible();
    const bool active = counters_file::header()->transport_state == RANKWISE_TRANSPORT_ACTIVE;
    *what = known == visible_all && !active && session.members->size() > 1 ? visible_part : known;
    return success;
  });
}

Rows::~Rows() {
  std::free(counts_);
  if (members_ != nullptr) members_->release();
}

Error Rows::of_this(int id, int flags) {
  if (id == all_sessions) return is_open() ? invalid_msid : missing_init;
  return on(id, [&](Session &session, bool /*one_of_all*/) {
    if (session.state != State::suspended) return session_not_suspended;
    if (!is_valid(flags)) return invalid_flags;
    if (flags == inside_only && session.members->visible() == visible_none) return not_visible;
    has_inside_ = (flags & (p2p_only | inside_only)) != 0;
    size_ = session.members->size();
    rank_ = session.members->rank();
    world_rank_ = session.members->world_rank(rank_);
    counts_ = static_cast<Count *>(std::calloc(static_cast<std::size_t>(size_), sizeof(Count)));
    if (counts_ == nullptr) return internal_fail;
    session.counts.sum(flags, counts_);
    session.members->keep();
    members_ = session.members;
    return success;
  });
}

Error Rows::of_all(int id, int flags) { return gather(id, flags, nullptr); }

Error Rows::of_all_at(int id, int flags, int root) { return gather(id, flags, &root); }

Error Rows::as_at(int root, Error own) const {
  return mpi->broadcast(members_->copy(), root, &own, sizeof own) ? own : mpit_fail;
}

Error Rows::gather(int id, int flags, const int *root) {
  Error error = of_this(id, flags);
  if (error != success) return error;
  if (root != nullptr && (*root < 0 || *root >= size_)) return invalid_root;
  const auto n = static_cast<std::size_t>(size_);
  Count *own = counts_;
  const bool receives = root == nullptr || *root == rank_;
  counts_ = receives ? static_cast<Count *>(std::malloc(n * n * sizeof(Count))) : nullptr;
  if (receives && counts_ == nullptr) {
    error = internal_fail;
  } else {
    const std::size_t bytes = n * sizeof(Count);
    const bool done = root == nullptr ? mpi->all_gather(members_->copy(), own, bytes, counts_)
                                      : mpi->gather(members_->copy(), *root, own, bytes, counts_);
    error = done ? mapping::gather_places(*members_, root == nullptr ? 0 : *root) : mpit_fail;
  }
  std::free(own);
  return error;
}

}  // namespace rankwise::introspection
