// The traffic matrix of a session: its nonzero entries, on the process of rank 0.
#ifndef RANKWISE_INTROSPECTION_TRAFFIC_H
#define RANKWISE_INTROSPECTION_TRAFFIC_H

#include <cstdint>

#include "errors.h"
#include "members.h"
#include "rankwise/placement.h"
#include "sessions.h"

namespace rankwise::introspection {

// Memory on rank 0 is proportional to the pairs that have sent something; on all, to the number of processes.
class Traffic {
 public:
  Traffic() = default;
  ~Traffic();
  Traffic(const Traffic &) = delete;
  Traffic &operator=(const Traffic &) = delete;

  // Collective. `sent`: the rows with the messages inside collectives as they were sent, `asked`: with collectives as
  // they are defined. `sent` is used if all processes see all messages of their MPI library.
  Error gather(const Members &members, const Rows &sent, const Rows &asked);

  // Without numbers of messages, so that only bytes decide. nullptr on all other ranks, and if memory is exhausted.
  const rankwise_traffic *get() const { return whole_ ? &traffic_ : nullptr; }
  // [traffic.entries], on rank 0.
  const double *messages() const { return messages_; }

 private:
  struct Report;
  struct Entry;

  Error gather_entries(const Members &members, const Rows &rows, const Report *reports, bool sent);
  bool make_room(const Report *reports, bool sent, int members);
  void take(int members);

  rankwise_traffic traffic_{};
  bool whole_ = false;
  // On rank 0.
  Entry *entries_ = nullptr;
  int *counts_ = nullptr;  // of each process, and then its offset
  std::int32_t *source_ = nullptr;
  std::int32_t *destination_ = nullptr;
  double *bytes_ = nullptr;
  double *messages_ = nullptr;
};

}  // namespace rankwise::introspection

#endif
