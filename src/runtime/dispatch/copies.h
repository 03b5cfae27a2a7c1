// Copies of the runtime in one process: librankwise.so, which is preloaded, and the copy of another installation, if
// the program is linked with that installation's librankwise_monitoring.so. Only one may count.
#ifndef RANKWISE_DISPATCH_COPIES_H
#define RANKWISE_DISPATCH_COPIES_H

namespace rankwise::copies {

// Whether this copy must record MPI calls. It is the first one in the loading order, the same one whose MPI_M_
// functions the program calls, and it has a user: `rankwise run`, `rankwise env`, or the program itself.
bool recording_wanted();

}  // namespace rankwise::copies

#endif
