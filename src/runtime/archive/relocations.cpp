// In a statically linked program the linker has resolved all relocations.
#include "../hooks/relocations.h"

namespace rankwise::relocations {

void redirect() {}

void redirect_late() {}

void *replace(const char * /*name*/, void * /*replacement*/) { return nullptr; }

void put_back(const char * /*name*/, void * /*replacement*/, void * /*original*/) {}

bool is_fortran_binding(const void * /*address*/) { return false; }

}  // namespace rankwise::relocations
