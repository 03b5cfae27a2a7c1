// The call to which a message of the library's own belongs.
#ifndef RANKWISE_INSIDE_CAUSE_H
#define RANKWISE_INSIDE_CAUSE_H

#include <cstdint>

#include "../format.h"
#include "../generated/procedures.h"
#include "patterns.h"

namespace rankwise::inside {

struct Cause {
  Procedure procedure = Procedure::none;
  std::uint32_t communicator = RANKWISE_COMMUNICATOR_OTHER;
  std::uint64_t start = 0;  // when the call began
  Kept kept;                // known when the call is over

  // On the thread that is in the call, if the call must wait until the operation is complete.
  const rankwise_thread *caller = nullptr;
  bool complete = false;  // the operation, as far as this process is concerned

  bool known() const { return procedure != Procedure::none; }

  // Whether the operation can still send.
  bool is_under_way() const {
    if (caller == nullptr) return !complete;
    return __atomic_load_n(&caller->inside_key, __ATOMIC_RELAXED) != 0 &&
           __atomic_load_n(&caller->inside_since, __ATOMIC_RELAXED) == start;
  }
};

}  // namespace rankwise::inside

#endif
