// Reading memory that may not be mapped.
#ifndef RANKWISE_MEMORY_H
#define RANKWISE_MEMORY_H

#include <cstddef>

namespace rankwise::memory {

// Whether an address is in what the program itself has of code and constants: there as long as the process.
bool is_of_program(const void *address);

// Copies a printable, zero-terminated text of fewer than `bytes` characters from an address that may be anything.
// False if there is none, or if it is one of the program's command line arguments or environment variables.
bool read_text(const void *address, char *text, std::size_t bytes);

}  // namespace rankwise::memory

#endif
