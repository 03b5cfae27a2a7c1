// Communicators: found by handle, named without a message. docs/how-it-works.md, "Names".
#ifndef RANKWISE_COMMUNICATORS_H
#define RANKWISE_COMMUNICATORS_H

#include <cstdint>

#include "format.h"
#include "generated/procedures.h"

namespace rankwise::communicators {

// The processes that a communicator's neighbourhood collectives send to, in their order; PROC_NULL entries are
// false.
struct Neighbours {
  int count = 0;  // entries
  int real = 0;   // of them, processes
  bool *is_process = nullptr;
};

// A communicator that is alive. The record in the counters file outlives it.
struct Communicator {
  std::uint64_t handle = 0;
  std::uint64_t id = 0;
  std::uint32_t index = RANKWISE_COMMUNICATOR_OTHER;  // in keys
  std::uint32_t children = 0;                         // creating calls on it so far
  int rank = 0;
  int size = 0;
  int remote_size = 0;
  bool inter = false;
  bool is_world = false;
  int *world_ranks = nullptr;  // of those that messages go to, by rank; nullptr = not yet asked for
  Neighbours *neighbours = nullptr;
  rankwise_communicator *record = nullptr;  // nullptr = no room
  Communicator *next_unused = nullptr;

  // Processes that messages and collectives reach: the remote group of an intercommunicator.
  int peers() const { return inter ? remote_size : size; }
};

// The last few communicators that a thread has used.
struct Cache {
  static constexpr unsigned bits = 3;
  struct Entry {
    std::uint64_t handle = 0;
    std::uint64_t generation = 0;
    Communicator *communicator = nullptr;
  } entries[1U << bits];
};

// Changes whenever a handle may have come to mean another communicator.
extern std::uint64_t generation;

Communicator *find_in_table(std::uint64_t handle);

// The communicator with this handle, nullptr if it is not known.
inline Communicator *find(Cache &cache, std::uint64_t handle) {
  Cache::Entry &entry = cache.entries[(handle * 0x9E3779B97F4A7C15ULL) >> (64 - Cache::bits)];
  const std::uint64_t now = __atomic_load_n(&generation, __ATOMIC_RELAXED);
  if (entry.handle == handle && entry.generation == now) return entry.communicator;
  Communicator *communicator = find_in_table(handle);
  if (communicator != nullptr) entry = {handle, now, communicator};
  return communicator;
}

// How a communicator came to be: everything that its name is made of.
struct Origin {
  Procedure procedure = Procedure::none;
  char letter = '?';
  std::uint64_t parent_id = 0;
  std::uint32_t parent_index = RANKWISE_COMMUNICATOR_NONE;
  std::uint32_t sequence = 0;
  int leader = 0;
  int tag = 0;
  std::uint64_t group_hash = 0;
  std::uint16_t flags = 0;  // rankwise_communicator_flags
};

// Enters a communicator; nullptr if there is no memory for it. The caller fills in the record's other facts.
Communicator *add(std::uint64_t handle, const Origin &origin, int rank, int size, int remote_size);

// The handle means nothing from now on; the record says when.
void remove(Communicator *communicator);

}  // namespace rankwise::communicators

#endif
