// The processes and the messages of a session, from which a communicator is to be reordered.
#ifndef RANKWISE_INTROSPECTION_PATTERN_H
#define RANKWISE_INTROSPECTION_PATTERN_H

#include "../runtime/communication.h"
#include "errors.h"
#include "members.h"
#include "sessions.h"
#include "traffic.h"

namespace rankwise::introspection {

class Pattern {
 public:
  Pattern() = default;
  ~Pattern();
  Pattern(const Pattern &) = delete;
  Pattern &operator=(const Pattern &) = delete;

  // Of a suspended session; `comm` must have its processes.
  Error of(int id, Handle comm);

  const Members &members() const { return *members_; }

  // Collective: all messages, on rank 0 of the session.
  Error gather(Traffic &traffic) const { return traffic.gather(members(), sent_, asked_); }

  // Makes the communicator, in which each process has a new rank: new_rank [processes], by ranks of the session. Fills
  // k [processes], by ranks of `comm`, unless it is nullptr.
  Error reorder(Handle comm, const int *new_rank, Handle *optimised, int *k) const;

 private:
  Error find_ranks(Handle comm);

  Rows sent_;   // with the messages inside collectives as they were sent
  Rows asked_;  // with collectives as they are defined
  Members *members_ = nullptr;
  int *ranks_ = nullptr;  // in `comm`, of each process of the session
};

}  // namespace rankwise::introspection

#endif
