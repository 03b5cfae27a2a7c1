// The hooks for MPICH and its derivatives. Each source file of this folder is one hook, with the file's name; CMake
// lists them.
#ifndef RANKWISE_HOOKS_MPICH_HOOKS_H
#define RANKWISE_HOOKS_MPICH_HOOKS_H

#include "../transport.h"

namespace rankwise::mpich_hooks {

#define RANKWISE_HOOK(name) extern const transports::Transport name;
#include "mpich_hooks.inc"
#undef RANKWISE_HOOK

inline constexpr const transports::Transport *all[] = {
#define RANKWISE_HOOK(name) &name,
#include "mpich_hooks.inc"
#undef RANKWISE_HOOK
};

}  // namespace rankwise::mpich_hooks

#endif
