// What Rankwise itself asks of MPI while the program runs, in words that are the same for every ABI. Each build has its
// own (wrappers/communication.h).
#ifndef RANKWISE_COMMUNICATION_H
#define RANKWISE_COMMUNICATION_H

#include <cstddef>
#include <cstdint>

#include "communicators.h"

namespace rankwise {

// A communicator as the program hands it over, in a register: a number or an address, by the ABI.
using Handle = std::uint64_t;

// Who belongs to a communicator.
struct Processes {
  int rank = -1;
  int size = 0;
  int *world_ranks = nullptr;  // malloc'ed, by rank in it; -1 = of another world
};

// None of what they call is counted. They are false if MPI refused.
struct Communication {
  Handle (*from_fortran)(int comm);
  int (*thread_level)();  // as MPI_Query_thread tells it
  // False as well for no communicator, and for an intercommunicator.
  bool (*processes)(Handle comm, Processes *processes);
  // Its entry in the table of communicators; nullptr if there is no room.
  communicators::Communicator *(*known)(Handle comm);

  bool (*duplicate)(Handle comm, Handle *copy);
  void (*free)(Handle copy);
  bool (*all_gather)(Handle copy, const void *own, std::size_t bytes, void *all);
  bool (*all_gather_varying)(Handle copy, const void *own, int bytes, void *all, const int *counts, const int *places);
  bool (*gather)(Handle copy, int root, const void *own, std::size_t bytes, void *all);
  // Records of `bytes` each; counts and places are in records, and matter on the root alone.
  bool (*gather_records)(Handle copy, int root, std::size_t bytes, const void *own, int count, void *all,
                         const int *counts, const int *places);
  bool (*broadcast)(Handle copy, int root, void *data, std::size_t bytes);

  // Something of ours that goes with a communicator of the program. When that is freed, `detached` is called.
  void *(*attached)(Handle comm);
  bool (*attach)(Handle comm, void *value, void (*detached)(void *value));
  void (*detach)(Handle comm);
};

}  // namespace rankwise

#endif
