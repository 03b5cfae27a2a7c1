// Chooses the MPI ABI from the marks of the library and the user's setting.
#ifndef RANKWISE_DISPATCH_CHOICE_H
#define RANKWISE_DISPATCH_CHOICE_H

#include "../format.h"

namespace rankwise::library {

// The ABI that the library itself shows, and whether it may be another one.
struct Seen {
  rankwise_abi abi;
  bool certain;
};

// The user's choice in RANKWISE_MPI, if it can be true: a wrong ABI would crash the program.
rankwise_abi asked_for(Seen seen);

}  // namespace rankwise::library

#endif
