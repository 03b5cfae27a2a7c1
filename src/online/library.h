// The MPI library that we wrap: its functions, found after ours, and the facts about its ABI that we need.
//
// RATIONALE: handles are addresses in Open MPI and ints in MPICH. We treat both as words and pass them on unchanged.
// Only comparisons ignore the part of a word beyond an int. On Linux (x86-64, AArch64, POWER) an argument of either
// kind takes one register or eight bytes of the stack.
#ifndef RANKWISE_ONLINE_LIBRARY_H
#define RANKWISE_ONLINE_LIBRARY_H

#include <cstdint>

namespace rankwise::online::library {

using Word = std::uintptr_t;

inline constexpr int kSuccess = 0;
inline constexpr int kOtherError = 16;  // MPI_ERR_OTHER of Open MPI; in MPICH the number is another error

// A function of the library, nullptr if the library has none with that name. `caller`: an address in the program.
//
// If the library is not in the global scope, as in Python, it is searched for in the libraries of the caller.
void *function(const char *name, void *caller = nullptr);

// Identifies the library. False if its ABI is unknown. `caller` as above.
bool open(void *caller);

// The significant part of a handle's word, for comparisons.
Word meaning(Word handle);

// A handle that the library has written to memory.
Word written(const void *memory);

bool is_in_place(const void *buffer);

struct Constants {
  Word comm_world, comm_null, group_null, errors_return;
  Word type_long, sum, maximum;
};
const Constants &constants();

// Control variables of MPI_T that are integers. The handle of a missing variable is nullptr.
void *variable(const char *name);
bool read(void *variable, int *value);
bool write(void *variable, int value);

}  // namespace rankwise::online::library

#endif
