// The table behind the symbols that the preloaded library defines.
//
// The library holds one build of all wrappers for each description of MPI (src/runtime/builds). Which one serves
// is known only when the MPI library is loaded, so each exported symbol is a jump through a table that the first
// call fills in: with the wrappers, or, where nothing is to be recorded, with the MPI library's own functions.
#ifndef RANKWISE_DISPATCH_DISPATCH_H
#define RANKWISE_DISPATCH_DISPATCH_H

#include "../format.h"
#include "../generated/procedures.h"

namespace rankwise::dispatch {

// Makes calls go to the wrappers for an ABI (false if there are none), or past us. May be called at any time; calls
// under way are not disturbed.
bool to_wrappers(rankwise_abi abi);
void to_library();

// Whether they go past us.
bool leads_to_library();

// The address that the symbol of a slot stands for.
void *symbol(Slot slot);

}  // namespace rankwise::dispatch

#endif
