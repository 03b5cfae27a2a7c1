// Calls that come by a PMPI_ name from elsewhere than the MPI library and its bindings: from programs and tools that
// have wrappers of their own before ours. Such a call is the program's, unless it comes out of a wrapper of ours: then
// a tool behind us forwards what we have counted already.
#ifndef RANKWISE_DISPATCH_PROFILING_H
#define RANKWISE_DISPATCH_PROFILING_H

#include "../generated/procedures.h"

namespace rankwise::profiling {

// The address that PMPI_X stands for, for the references that are redirected to it.
void *symbol(Slot slot);

// A reference of an object to PMPI_X leads to it; `object` is a path.
void refers(const char *object, Procedure procedure);

// Writes to the counters file which procedures have been called in this way, and by which objects.
void tell();

inline constinit thread_local bool forwarding = false;

// A scope in which a wrapper that is no recorded call forwards: MPI_Init, before there is anything to record to.
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
