// Reading memory that may not be mapped.
#ifndef RANKWISE_MEMORY_H
#define RANKWISE_MEMORY_H

#include <cstddef>

namespace rankwise::memory {

// Copies a printable, zero-terminated text of fewer than `bytes` characters from an address that may be anything.
// False if there is none, or if it is one of the program's command line arguments or environment variables.
bool read_text(const void *address, char *text, std::size_t bytes);

}  // namespace rankwise::memory

#endif
