// Names of MPI functions that the program's objects refer to and that have no wrapper. Which of them matter is decided
// by the reader (python/rankwise.profile.collect.coverage.py).
#ifndef RANKWISE_HOOKS_IMPORTS_H
#define RANKWISE_HOOKS_IMPORTS_H

namespace rankwise::imports {

void note(const char *name);

// Writes to the counters file, if there is one, what has been noted since.
void tell();

}  // namespace rankwise::imports

#endif
