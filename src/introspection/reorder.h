// MPI_M_reorder and MPI_M_redistribute: a communicator whose ranks are near their partners, from the data of a session.
// Source: RR-9292 (Inria), "Dynamic rank reordering".
#ifndef RANKWISE_INTROSPECTION_REORDER_H
#define RANKWISE_INTROSPECTION_REORDER_H

#include "../runtime/communication.h"
#include "errors.h"

namespace rankwise::introspection {

// `optimised` is MPI_COMM_NULL if there is an error; `k` may be nullptr.
Error reorder(int id, Handle comm, const char *machine, Handle *optimised, int *k);

// The block that a process sends, and the space for the block that it receives.
struct Blocks {
  const void *send;
  int send_count;
  void *receive;
  int receive_count;
  Handle datatype;
};

Error redistribute(const Blocks &blocks, Handle original, const int *k);

}  // namespace rankwise::introspection

#endif
