// The table behind the symbols that the preloaded library defines.
//
// The library contains one build of all wrappers for each MPI ABI (src/runtime/builds). The right one is known only
// when the MPI library is loaded. So each exported symbol is a jump through a table that the first call fills in: with
// the wrappers, or, if nothing must be recorded, with the MPI library's own functions.
#ifndef RANKWISE_DISPATCH_DISPATCH_H
#define RANKWISE_DISPATCH_DISPATCH_H

#include "../format.h"
#include "../generated/procedures.h"

namespace rankwise::dispatch {

// Routes calls to the wrappers for an ABI (false if it has no build), or past us. May be called at any time; calls in
// progress are not disturbed.
bool to_wrappers(rankwise_abi abi);
void to_library();

// Whether they go past us.
bool leads_to_library();

// The address of a slot's symbol.
void *symbol(Slot slot);

// With `rankwise run --place`, calls reach another function first (wrappers/outer.h), and then these.
inline void *inner_functions[static_cast<int>(Slot::count)] = {};

}  // namespace rankwise::dispatch

#endif
