// MPI_M_reorder and MPI_M_redistribute: a communicator whose ranks are where their partners are, from the data of a
// session. Source: RR-9292 (Inria), "Dynamic rank reordering".
#ifndef RANKWISE_INTROSPECTION_REORDER_H
#define RANKWISE_INTROSPECTION_REORDER_H

#include "../runtime/communication.h"
#include "errors.h"

namespace rankwise::introspection {

// `optimised` is MPI_COMM_NULL if there is an error; `k` may be nullptr.
Error reorder(int id, Handle comm, const char *machine, Handle *optimised, int *k);

// What a process sends, and the room for what it receives.
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
