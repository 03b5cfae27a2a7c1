// Reads memory that may not be mapped.
#ifndef RANKWISE_MEMORY_H
#define RANKWISE_MEMORY_H

#include <cstddef>

namespace rankwise::memory {

// Whether an address is in the code and constants of the program itself, which last as long as the process.
bool is_of_program(const void *address);

// Copies a printable, zero-terminated text of fewer than `bytes` characters from an arbitrary address. False if there
// is no such text, or if it is one of the program's command line arguments or environment variables.
bool read_text(const void *address, char *text, std::size_t bytes);

}  // namespace rankwise::memory

#endif
