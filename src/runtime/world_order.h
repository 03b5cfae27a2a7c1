// The order of MPI_COMM_WORLD that the user asks for: `rankwise run --place`. A communicator with the processes of
// MPI_COMM_WORLD in another order stands in its place (wrappers/world.h).
#ifndef RANKWISE_WORLD_ORDER_H
#define RANKWISE_WORLD_ORDER_H

#include <cstddef>

#include "rankwise/placement.h"

namespace rankwise::world_order {

// A new order is asked for. Set once, before the first MPI call.
inline bool wanted = false;

// Reads RANKWISE_PLACE.
void read_wish();

// The same, but only whether there is a new order.
bool is_asked();

// MPI_Init has succeeded: jobs that this process starts from now on are not meant. The variables of the launcher no
// longer matter.
void begun();

// The two files in the run directory that may describe the order.

// The user gives the order itself. malloc'ed, by rank of the launcher: the new rank; nullptr and the reason if it is
// not an order of `size` ranks.
bool is_given();
int *read_order(int size, char *problem, std::size_t room);

// The user gives the traffic between the ranks. False and the reason if it has not `size` ranks. `memory` is
// malloc'ed, and what the arrays are in.
bool read_traffic(int size, rankwise_traffic *traffic, void **memory, char *problem, std::size_t room);

// The variable with the launcher's rank that the program has read before MPI_Init, by its number among
// the launcher's, plus 1; 0 = none, or it was given the new rank.
int variable_read();

// The user's description of the machine, which `rankwise run` has put into the run directory; nullptr without one.
const char *machine();

// Our function in place of one of the C library's in the program; nullptr for all others.
void *stand_in(const char *name);

}  // namespace rankwise::world_order

#endif
