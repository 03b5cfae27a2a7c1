// Completion calls without requests in a Fortran program: some bindings return from them without calling any C
// procedure, so the program's own references to the Fortran procedures are redirected.
#ifndef RANKWISE_HOOKS_EMPTY_COMPLETIONS_H
#define RANKWISE_HOOKS_EMPTY_COMPLETIONS_H

namespace rankwise::empty_completions {

// Whether this is the name of such a procedure in the spelling of some Fortran compiler.
bool has(const char *name);

// The replacement, which continues to `binding`; nullptr if others continue to another binding already.
void *stand_in(const char *name, void *binding);

}  // namespace rankwise::empty_completions

#endif
