// Names of MPI functions that the program's objects refer to and we have no wrapper for. Which of them matter is the
// reader's to say (python/rankwise.profile.coverage.py).
#ifndef RANKWISE_HOOKS_IMPORTS_H
#define RANKWISE_HOOKS_IMPORTS_H

namespace rankwise::imports {

void note(const char *name);

// Writes to the counters file, if there is one, what has been noted since.
void tell();

}  // namespace rankwise::imports

#endif
