// One build of all wrappers for each MPI ABI.
#ifndef RANKWISE_BUILDS_BUILDS_H
#define RANKWISE_BUILDS_BUILDS_H

#include "../format.h"

namespace rankwise {

struct Communication;

namespace openmpi {
void write_wrappers(void **table);
void write_outer(void **table);
void *fortran_stand_in(const char *name, bool is_binding);
const Communication *communication();
}  // namespace openmpi
namespace mpich {
void write_wrappers(void **table);
void write_outer(void **table);
void *fortran_stand_in(const char *name, bool is_binding);
const Communication *communication();
}  // namespace mpich
namespace mpiabi {
void write_wrappers(void **table);
void write_outer(void **table);
void *fortran_stand_in(const char *name, bool is_binding);
const Communication *communication();
}  // namespace mpiabi

namespace builds {

inline constexpr rankwise_abi openmpi = RANKWISE_ABI_OPENMPI;
inline constexpr rankwise_abi mpich = RANKWISE_ABI_MPICH;
inline constexpr rankwise_abi mpiabi = RANKWISE_ABI_MPIABI;

// Writes the wrappers for an ABI into a table, in the order of the slots; false if the ABI has no build.
//
// RATIONALE: not a constant, because the loader would have to relocate its addresses in every process.
inline bool write_wrappers(rankwise_abi abi, void **table) {
  switch (abi) {
    case RANKWISE_ABI_OPENMPI:
      rankwise::openmpi::write_wrappers(table);
      return true;
    case RANKWISE_ABI_MPICH:
      rankwise::mpich::write_wrappers(table);
      return true;
    case RANKWISE_ABI_MPIABI:
      rankwise::mpiabi::write_wrappers(table);
      return true;
    default:
      return false;
  }
}

// The MPI operations that Rankwise itself uses, in the same way.
inline const Communication *communication(rankwise_abi abi) {
  switch (abi) {
    case RANKWISE_ABI_OPENMPI:
      return rankwise::openmpi::communication();
    case RANKWISE_ABI_MPICH:
      return rankwise::mpich::communication();
    case RANKWISE_ABI_MPIABI:
      return rankwise::mpiabi::communication();
    default:
      return nullptr;
  }
}

// Writes the functions that calls reach first with `rankwise run --place`, in the same way.
inline void write_outer(rankwise_abi abi, void **table) {
  if (abi == RANKWISE_ABI_OPENMPI) rankwise::openmpi::write_outer(table);
  if (abi == RANKWISE_ABI_MPICH) rankwise::mpich::write_outer(table);
  if (abi == RANKWISE_ABI_MPIABI) rankwise::mpiabi::write_outer(table);
}

// Our function for references to this name in a Fortran binding, or elsewhere, that pass MPI_COMM_WORLD and do not lead
// to a C function of MPI; nullptr for all other names.
inline void *fortran_stand_in(rankwise_abi abi, const char *name, bool is_binding) {
  if (abi == RANKWISE_ABI_OPENMPI) return rankwise::openmpi::fortran_stand_in(name, is_binding);
  if (abi == RANKWISE_ABI_MPICH) return rankwise::mpich::fortran_stand_in(name, is_binding);
  return nullptr;
}

}  // namespace builds
}  // namespace rankwise

#endif
