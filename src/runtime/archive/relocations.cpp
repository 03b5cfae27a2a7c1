// In a statically linked program the linker has done what is left to relocations otherwise.
#include "../hooks/relocations.h"

namespace rankwise::relocations {

void redirect() {}

bool is_fortran_binding(const void * /*address*/) { return false; }

}  // namespace rankwise::relocations
