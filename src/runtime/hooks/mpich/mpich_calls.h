// The messages that calls of MPICH and its derivatives send, as far as hooks need them to check tags.
#ifndef RANKWISE_HOOKS_MPICH_CALLS_H
#define RANKWISE_HOOKS_MPICH_CALLS_H

#include "../../generated/procedures.h"

namespace rankwise::mpich_calls {

// Sends one message of the program's.
constexpr bool is_plain_send(Procedure procedure) {
  switch (procedure) {
    case Procedure::MPI_Send:
    case Procedure::MPI_Isend:
    case Procedure::MPI_Rsend:
    case Procedure::MPI_Irsend:
    case Procedure::MPI_Ssend:
    case Procedure::MPI_Issend:
      return true;
    default:
      return false;
  }
}

constexpr bool sends_nothing_for_the_program(Procedure procedure) {
  return procedure == Procedure::MPI_Barrier || procedure == Procedure::MPI_Bcast ||
         procedure == Procedure::MPI_Allreduce || procedure == Procedure::MPI_Reduce;
}

}  // namespace rankwise::mpich_calls

#endif
