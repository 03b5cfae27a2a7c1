// Call sites: where in the program a call was made, the object (the program itself or a shared library) and the place
// in it. Calls that reach us through the MPI library's own bindings, Fortran's, were made where the binding was called.
#ifndef RANKWISE_CALL_SITES_H
#define RANKWISE_CALL_SITES_H

#include <cstdint>

#include "frame_rules.h"

namespace rankwise::call_sites {

// The site's index in the counters file; RANKWISE_SITE_UNKNOWN if it can't be told. Of an address that was seen before,
// a look into a table for each binding on the way. To be called from a wrapper: the first time the loader is asked for
// its objects.
[[gnu::noinline]] std::uint32_t find(frames::Frame call);

// The loader has taken objects away: others may come to where they were.
void forget();

}  // namespace rankwise::call_sites

#endif
