// MPICH and Intel MPI over libfabric. Steps as in transports::Transport.
#ifndef RANKWISE_HOOKS_LIBFABRIC_H
#define RANKWISE_HOOKS_LIBFABRIC_H

#include <cstdint>

#include "../format.h"

namespace rankwise::libfabric {

// Messages within a node: most runs hand them to shared memory, unless they are told not to.
inline constexpr std::uint32_t sees = RANKWISE_SEES_BETWEEN_NODES | RANKWISE_SEES_NONBLOCKING;

bool prepare();
bool in_use();
const char *start(int largest_tag);  // the value of MPI_TAG_UB
void stop();

}  // namespace rankwise::libfabric

#endif
