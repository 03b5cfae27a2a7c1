// Calls by a PMPI_ name from objects other than the MPI library and its bindings: from programs and tools whose own
// wrappers precede Rankwise's. Such a call counts as the program's, unless it is made from within one of our wrappers:
// then a tool after Rankwise forwards a call that was counted already.
#ifndef RANKWISE_DISPATCH_PROFILING_H
#define RANKWISE_DISPATCH_PROFILING_H

#include "../generated/procedures.h"

namespace rankwise::profiling {

// The address for references to PMPI_X that are redirected.
void *symbol(Slot slot);

// A reference of an object to PMPI_X was redirected to it; `object` is a path.
void refers(const char *object, Procedure procedure);

// Writes the procedures that were called in this way, and the calling objects, to the counters file.
void tell();

inline constinit thread_local bool forwarding = false;

// A scope in which a wrapper forwards without a recorded call: MPI_Init, before there is a counters file.
class Forwarding {
 public:
  Forwarding() : before_(forwarding) { forwarding = true; }
  ~Forwarding() { forwarding = before_; }
  Forwarding(const Forwarding &) = delete;
  Forwarding &operator=(const Forwarding &) = delete;

 private:
  bool before_;
};

}  // namespace rankwise::profiling

#endif
