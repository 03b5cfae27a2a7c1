// Copies of the runtime in one process: librankwise.so, which is preloaded, and that of another installation, to which
// the librankwise_monitoring.so leads that the program is linked with. Only one may count.
#ifndef RANKWISE_DISPATCH_COPIES_H
#define RANKWISE_DISPATCH_COPIES_H

namespace rankwise::copies {

// Whether this copy is to record what MPI is asked for. It is the first one in the order of loading, the same whose
// MPI_M_ functions the program calls, and somebody wants to know: `rankwise run`, `rankwise env`, or the program
// itself.
bool recording_wanted();

}  // namespace rankwise::copies

#endif
