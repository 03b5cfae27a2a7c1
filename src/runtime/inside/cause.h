// The call that a message of the library's own belongs to.
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

  bool known() const { return procedure != Procedure::none; }
};

}  // namespace rankwise::inside

#endif
