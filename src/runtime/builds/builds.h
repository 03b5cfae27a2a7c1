// One build of all wrappers for each description of MPI.
#ifndef RANKWISE_BUILDS_BUILDS_H
#define RANKWISE_BUILDS_BUILDS_H

#include "../format.h"

namespace rankwise {

struct Communication;

namespace openmpi {
void *const *wrapper_table();
const Communication *communication();
}  // namespace openmpi
namespace mpich {
void *const *wrapper_table();
const Communication *communication();
}  // namespace mpich
namespace mpiabi {
void *const *wrapper_table();
const Communication *communication();
}  // namespace mpiabi

namespace builds {

inline constexpr rankwise_abi openmpi = RANKWISE_ABI_OPENMPI;
inline constexpr rankwise_abi mpich = RANKWISE_ABI_MPICH;
inline constexpr rankwise_abi mpiabi = RANKWISE_ABI_MPIABI;

// The wrappers for an ABI, in the order of the slots; nullptr if there are none.
inline void *const *wrappers(rankwise_abi abi) {
  switch (abi) {
    case RANKWISE_ABI_OPENMPI:
      return rankwise::openmpi::wrapper_table();
    case RANKWISE_ABI_MPICH:
      return rankwise::mpich::wrapper_table();
    case RANKWISE_ABI_MPIABI:
      return rankwise::mpiabi::wrapper_table();
    default:
      return nullptr;
  }
}

// What Rankwise itself asks of MPI, likewise.
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

}  // namespace builds
}  // namespace rankwise

#endif
