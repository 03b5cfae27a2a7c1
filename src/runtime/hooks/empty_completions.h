// Completion calls over no request that a Fortran program makes: some bindings return from them without calling any C
// procedure, so the program's own references to the Fortran procedures are redirected.
#ifndef RANKWISE_HOOKS_EMPTY_COMPLETIONS_H
#define RANKWISE_HOOKS_EMPTY_COMPLETIONS_H

namespace rankwise::empty_completions {

// Whether this is the name of such a procedure, as some Fortran compiler spells it.
bool has(const char *name);

// What is to be called in its place, and goes on to `binding`; nullptr if others go on to another binding already.
void *stand_in(const char *name, void *binding);

}  // namespace rankwise::empty_completions

#endif
