// Names of MPI functions that the program's objects refer to and that have no wrapper. The reader decides which of them
// matter (python/rankwise/profile/collect/coverage.py).
#ifndef RANKWISE_HOOKS_IMPORTS_H
#define RANKWISE_HOOKS_IMPORTS_H

namespace rankwise::imports {

void note(const char *name);

// Writes the new names to the counters file, if there is one.
void tell();

}  // namespace rankwise::imports

#endif
