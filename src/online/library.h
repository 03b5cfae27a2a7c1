// The MPI library below: its functions, found behind ours, and what has to be known of its ABI.
//
// RATIONALE: handles are addresses in Open MPI and ints in MPICH. Ours are words, handed on as they come; only where
// two are compared, what a word holds beyond an int is left out. On Linux (x86-64, AArch64, POWER) an argument of
// either kind takes one register or eight bytes of the stack.
#ifndef RANKWISE_ONLINE_LIBRARY_H
#define RANKWISE_ONLINE_LIBRARY_H

#include <cstdint>

namespace rankwise::online::library {

using Word = std::uintptr_t;

inline constexpr int kSuccess = 0;
inline constexpr int kOtherError = 16;  // MPI_ERR_OTHER of Open MPI; of MPICH it is another error

// A function of the library, nullptr if it has none of that name. `caller`: an address in the program.
//
// Where the library is not in the global scope, as in Python, it is looked for in what the caller is linked with.
void *function(const char *name, void *caller = nullptr);

// Looks which library it is. False: none whose ABI is known. `caller` as above.
bool open(void *caller);

// What a word of a handle means, for comparing.
Word meaning(Word handle);

// A handle that the library has written to memory.
Word written(const void *memory);

bool is_in_place(const void *buffer);

struct Constants {
  Word comm_world, comm_null, group_null, errors_return;
  Word type_long, sum, maximum;
};
const Constants &constants();

// Control variables of MPI_T, of whole numbers. A handle of a variable that is not there is nullptr.
void *variable(const char *name);
bool read(void *variable, int *value);
bool write(void *variable, int value);

}  // namespace rankwise::online::library

#endif
