// The loader's own functions: dlsym, dlopen, ...
#ifndef RANKWISE_HOOKS_LOADER_FUNCTIONS_H
#define RANKWISE_HOOKS_LOADER_FUNCTIONS_H

namespace rankwise::loader_functions {

// Whether the process has them. A glibc before 2.34 has them in a separate library, libdl, which is loaded here if
// there is MPI without it. A process that has neither can't load MPI later.
bool are_there();

}  // namespace rankwise::loader_functions

#endif
