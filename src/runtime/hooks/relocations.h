// Calls that don't reach the symbols of a preloaded library: their relocations are redirected.
#ifndef RANKWISE_HOOKS_RELOCATIONS_H
#define RANKWISE_HOOKS_RELOCATIONS_H

#include "../generated/procedures.h"

namespace rankwise::relocations {

// The following is done once at start, too. A process without an MPI library gets the opposite: its weak references to
// MPI are emptied, because our symbols do not belong to an MPI library.
//
// Redirects, in all objects that are loaded now:
// - in the Fortran bindings, calls of PMPI_X, which is how most libraries implement mpi_x_;
// - everywhere, calls of those MPI_X that only newer libraries have. The library can't define these symbols itself:
//   a program that asks whether they exist (mpi4py does) would believe that the MPI library has them;
// - in objects that were opened with RTLD_DEEPBIND, which find the MPI library first, calls of all others;
// - everywhere but in the bindings, Fortran's calls of completion procedures (empty_completions.h);
// - everywhere but in the bindings, calls of the loader (loader_calls.h).
//
// Called again at the end of MPI_Init. Each object is walked once.
void redirect();

// The same if the loader has loaded anything since: when the program looks up an object's functions, and so has not
// called any.
void redirect_new();

// The same if objects may have been there for long. The counters file lists the procedures that may have bypassed us.
void redirect_late();

// The program is about to open an object with RTLD_DEEPBIND.
void expect_deep_binding();

// Whether this is the MPI library's own function, and no tool is between it and us: if another tool were, our function
// could call its own caller.
bool is_library_s_own(Slot slot, const void *function);

// Makes only the MPI library itself call `replacement` where it calls the function of this name in another object.
// Returns the previous target; nullptr, with nothing changed, if it calls no such function. Call when the MPI library
// has been loaded. Calls by other ways than its relocations (dlsym) are not redirected.
void *replace(const char *name, void *replacement);

// Undoes that, unless another tool has redirected the calls since.
void put_back(const char *name, void *replacement, void *original);

// Whether the address lies in the Fortran binding of an MPI library.
bool is_fortran_binding(const void *address);

}  // namespace rankwise::relocations

#endif
