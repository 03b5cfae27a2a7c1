// MPICH over UCX.
#ifndef RANKWISE_HOOKS_UCX_H
#define RANKWISE_HOOKS_UCX_H

#include "transport.h"

namespace rankwise::ucx {

extern const transports::Transport hook;

}  // namespace rankwise::ucx

#endif
