// Non-blocking calls whose operations the library starts only later, while they progress.
#ifndef RANKWISE_INSIDE_LATE_CALLS_H
#define RANKWISE_INSIDE_LATE_CALLS_H

#include "../generated/procedures.h"
#include "patterns.h"

namespace rankwise::inside {

// A late operation can be attributed as long as the waiting calls are of one procedure, and to a pattern if one call at
// a time waits for its operation.
struct LateCalls {
  Procedure procedure = Procedure::none;
  bool several = false;   // procedures
  bool in_steps = false;  // calls that start more than one operation: the start of the last one is unknown
  int waiting = 0;        // calls, for the operation that they start
  Kept kept;              // of the first of them

  bool is_empty() const { return waiting == 0 && !in_steps; }

  void add(Procedure another, Kept another_kept, bool another_in_steps) {
    several = !is_empty() && (several || procedure != another);
    procedure = several ? Procedure::none : another;
    in_steps = in_steps || another_in_steps;
    if (waiting++ == 0) {
      kept = another_kept;
    } else {
      patterns::spoil(another_kept);
    }
  }

  // One of them has started its operation.
  Kept take() {
    if (waiting > 1 || several) patterns::spoil(kept);
    const Kept taken = waiting == 1 && !several ? kept : Kept{};
    if (waiting > 0) --waiting;
    kept = {};
    return taken;
  }
};

}  // namespace rankwise::inside

#endif
