// The MPI library of this process: its identity, and its functions.
#ifndef RANKWISE_DISPATCH_LIBRARY_H
#define RANKWISE_DISPATCH_LIBRARY_H

#include "../format.h"
#include "../generated/procedures.h"

namespace rankwise::library {

// The ABI of the loaded MPI library; NONE without a library. RANKWISE_MPI decides if the library leaves a choice.
rankwise_abi abi();

// Whether an object is loaded that looks like the MPI library, by its name only: does not call the loader.
bool is_in_sight();

// A function of the MPI library itself, nullptr if it lacks it.
void *function(const char *name);

// A variable of the MPI library, nullptr if it lacks it. Not the same as function(): the linker may have copied the
// variable into the program, and then all code uses the program's copy.
void *variable(const char *name);

// Whether an object of this path is the MPI library.
bool is_mpi_library(const char *path);

// Whether it is a part of the MPI library: the library loads it, or comes with it (Open MPI's SHMEM).
bool is_component(const char *path);

// Whether it is a Fortran binding.
bool is_fortran_binding(const char *path);

// Whether it is any of these, or a C++ binding: its MPI calls are made on behalf of another caller.
bool belongs_to_mpi(const char *path);

// The functions that follow ours, by slot; nullptr = not yet looked up.
inline void *next_functions[static_cast<int>(Slot::count)] = {};

// Looks up the function after ours in the loading order: another tool's or the library's own.
[[gnu::noinline]] void *find_next(Slot slot);

template <class Function>
inline Function next(Slot slot) {
  void *found = __atomic_load_n(&next_functions[static_cast<int>(slot)], __ATOMIC_RELAXED);
  if (found == nullptr) [[unlikely]] {
    found = find_next(slot);
  }
  return reinterpret_cast<Function>(found);
}

}  // namespace rankwise::library

#endif
