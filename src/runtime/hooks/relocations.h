// Calls that don't reach the symbols of a preloaded library: their relocations are redirected.
#ifndef RANKWISE_HOOKS_RELOCATIONS_H
#define RANKWISE_HOOKS_RELOCATIONS_H

#include "../generated/procedures.h"

namespace rankwise::relocations {

// What follows is done once at start, too. A process without an MPI library gets the opposite: its weak references to
// MPI are emptied, because our symbols are none of an MPI library.
//
// Redirects, in all objects that are loaded now:
// - in the Fortran bindings, calls of PMPI_X, which is how most libraries implement mpi_x_;
// - everywhere, calls of those MPI_X that only newer libraries have. The library can't define these symbols itself:
//   a program that asks whether they exist (mpi4py does) would believe that the MPI library has them;
// - in objects that were opened with RTLD_DEEPBIND, which find the MPI library first, calls of all others;
// - everywhere but in the bindings, Fortran's calls of completion procedures (empty_completions.h);
// - likewise, calls of the loader (loader_calls.h).
// Called again at the end of MPI_Init. Each object is walked once.
void redirect();

// The same if the loader has loaded anything since: when the program asks an object for its functions, and so has not
// called any.
void redirect_new();

// Likewise, when objects may have been there for long. Which procedures they may have called past us is told in the
// counters file.
void redirect_late();

// The program is about to open an object with RTLD_DEEPBIND.
void expect_deep_binding();

// Whether this is the MPI library's own function, and nobody stands between it and us: if another tool did, our
// function could come back to whom it is given.
bool is_library_s_own(Slot slot, const void *function);

// Lets the MPI library itself, and nobody else, call `replacement` where it calls the function of this name in another
// object. Returns what it called so far; nullptr, with nothing changed, if it calls no such function. To be called when
// the MPI library has been loaded. Calls by other ways than its relocations (dlsym) are not redirected.
void *replace(const char *name, void *replacement);

// Undoes that, where nobody else has redirected the calls since.
void put_back(const char *name, void *replacement, void *original);

// Whether the address lies in the Fortran binding of an MPI library.
bool is_fortran_binding(const void *address);

}  // namespace rankwise::relocations

#endif
