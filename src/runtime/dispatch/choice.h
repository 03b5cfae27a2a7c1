// Chooses the description of MPI: from the marks of the library and the user's setting.
#ifndef RANKWISE_DISPATCH_CHOICE_H
#define RANKWISE_DISPATCH_CHOICE_H

#include "../format.h"

namespace rankwise::library {

// What the library itself shows, and whether it can be anything else.
struct Seen {
  rankwise_abi abi;
  bool certain;
};

// What the user asks for by RANKWISE_MPI, where it can be true: a wrong description would crash the program.
rankwise_abi asked_for(Seen seen);

}  // namespace rankwise::library

#endif
