// Whether constructors of virtual topologies honour reorder = true: `rankwise run --reorder`.
#ifndef RANKWISE_REORDER_H
#define RANKWISE_REORDER_H

namespace rankwise::reorder {

inline bool wanted = false;

// Before the first constructor: reads RANKWISE_REORDER, which is the same for all processes of the job.
void read_wish();

// The user's description of the machine, which `rankwise run` has put into the run directory; nullptr without one.
const char *machine();

}  // namespace rankwise::reorder

#endif
