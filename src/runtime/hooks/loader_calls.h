// Intercepts a program's own calls of dlopen and dlsym: they come here first, and then jump on to the originals as if
// called directly (loader_calls.S).
#ifndef RANKWISE_HOOKS_LOADER_CALLS_H
#define RANKWISE_HOOKS_LOADER_CALLS_H

extern "C" {
void *rankwise_dlsym(void *handle, const char *name);
void *rankwise_dlopen(const char *path, int mode);
}

namespace rankwise::loader_calls {

// The replacement of a function of the loader; nullptr for any other function.
void *stand_in(const char *name);

}  // namespace rankwise::loader_calls

#endif
