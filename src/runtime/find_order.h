// Chooses the new rank of each process of a communicator from the traffic between ranks and the locations of the
// processes. The wrappers and the MPI_M_ functions call it; src/reordering implements it.
#ifndef RANKWISE_FIND_ORDER_H
#define RANKWISE_FIND_ORDER_H

#include "communication.h"
#include "rankwise/placement.h"
#include "rankwise/reordering.h"

namespace rankwise::reordering {

enum class Outcome {
  reordered,
  kept,   // no order is cheaper than the present one
  failed  // `problem` is the reason; the present order
};

// The same on all processes.
struct Order {
  Outcome outcome = Outcome::failed;
  // [size of the communicator], malloc'ed, by present rank: the new rank of the process. With fewer roles than
  // processes, those without a role have the last ranks, in their present order. nullptr if memory is exhausted.
  int *new_rank = nullptr;
  double before = 0;  // cost of the present order, byte hops
  double after = 0;
  bool machine_is_bad = false;  // failed, because of the machine.json
  char problem[512] = "";
};

// Collective. Role r is the work of the process with rank r; `traffic` is the traffic between roles, on rank 0 only
// (else nullptr), traffic->ranks <= size; with nullptr on rank 0 the outcome is `failed`. `copy` is a private
// communicator with the processes in question. `machine`: path of a machine.json that rank 0 can read; nullptr: the
// processes' nodes describe themselves.
Order find_order(const Communication &mpi, Handle copy, int rank, int size, const rankwise_traffic *traffic,
                 const char *machine);

// Where this process is. Determined at each call: a program may bind itself at any time.
rankwise_whereabouts whereabouts();

// The same decision by one process, which knows where the others are: where [traffic.ranks].
Order find_order_here(const rankwise_traffic &traffic, const rankwise_whereabouts *where, const char *machine);

// The functions of the same names, or an error with its reason if the placement library is missing.
decltype(rankwise_pairs_by_distance) pairs_by_distance;
decltype(rankwise_evaluate_order) evaluate_order;

}  // namespace rankwise::reordering

#endif
