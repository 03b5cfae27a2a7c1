// The MPI operations that Rankwise itself uses while the program runs, with the same interface for every ABI. Each
// build implements it (wrappers/communication.h).
#ifndef RANKWISE_COMMUNICATION_H
#define RANKWISE_COMMUNICATION_H

#include <cstddef>
#include <cstdint>

#include "communicators.h"

namespace rankwise {

// A communicator as the program passes it, in a register: a number or an address, depending on the ABI.
using Handle = std::uint64_t;

// The members of a communicator.
struct Processes {
  int rank = -1;
  int size = 0;
  int *world_ranks = nullptr;  // malloc'ed, by rank in it; -1 = of another world
};

// A process's blocks to and from one other process, in the program's data.
struct Exchange {
  const void *send;
  int send_count;
  int to;
  void *receive;
  int receive_count;
  int from;
  Handle datatype;
  int tag;
};

// Their own MPI calls are not counted, unless stated. They return false if MPI failed.
struct Communication {
  Handle (*from_fortran)(int comm);
  Handle (*datatype_from_fortran)(int datatype);
  int (*to_fortran)(Handle comm);
  Handle (*none)();  // MPI_COMM_NULL
  // Puts a communicator where the program has an MPI_Comm.
  void (*put)(Handle comm, void *place);
  int (*thread_level)();  // result of MPI_Query_thread
  // Also false for no communicator, and for an intercommunicator.
  bool (*processes)(Handle comm, Processes *processes);
  // Of each process of `comm`, its rank in `other`, -1 if it has none: malloc'ed; nullptr if MPI failed.
  int *(*ranks_in)(Handle comm, Handle other);
  // Its entry in the table of communicators; nullptr if there is no room.
  communicators::Communicator *(*known)(Handle comm);

  bool (*duplicate)(Handle comm, Handle *copy);
  void (*free)(Handle copy);
  bool (*all_gather)(Handle copy, const void *own, std::size_t bytes, void *all);
  bool (*all_gather_varying)(Handle copy, const void *own, int bytes, void *all, const int *counts, const int *places);
  bool (*gather)(Handle copy, int root, const void *own, std::size_t bytes, void *all);
  // Records of `bytes` each; counts and places are in records, and significant only on the root.
  bool (*gather_records)(Handle copy, int root, std::size_t bytes, const void *own, int count, void *all,
                         const int *counts, const int *places);
  bool (*broadcast)(Handle copy, int root, void *data, std::size_t bytes);
  // Sends to another process as much as it receives from there.
  bool (*swap)(Handle copy, int partner, const void *sent, void *received, std::size_t bytes);

  // In the program's name: counted as its own calls, and named as its own objects.
  bool (*split)(Handle comm, int color, int key, Handle *made);
  bool (*exchange)(Handle comm, const Exchange &exchange);
  // With itself: not counted.
  bool (*copy)(Handle comm, const Exchange &exchange);

  // Attaches our data to a communicator of the program. When that is freed, `detached` is called.
  void *(*attached)(Handle comm);
  bool (*attach)(Handle comm, void *value, void (*detached)(void *value));
  void (*detach)(Handle comm);
};

}  // namespace rankwise

#endif
