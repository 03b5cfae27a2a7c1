// Communicators: found by handle, named without a message. docs/explanation/how-it-works.md, "Names".
#ifndef RANKWISE_COMMUNICATORS_H
#define RANKWISE_COMMUNICATORS_H

#include <cstdint>

#include "format.h"
#include "generated/procedures.h"
#include "handle_table.h"
#include "inside/late_calls.h"

namespace rankwise::arrivals {
struct OfCommunicator;
extern OfCommunicator nothing_yet;  // of communicators without any collective so far: no tables
void release(OfCommunicator *of);
}  // namespace rankwise::arrivals

namespace rankwise::communicators {

// Beyond these, communicators share the "other" index; the bound leaves most of the file to the rows.
constexpr std::uint32_t most_records = 1U << 16;

// The processes that a communicator's neighbourhood collectives send to, in their order; PROC_NULL entries are
// false.
struct Neighbours {
  int count = 0;  // entries
  int real = 0;   // of them, processes
  bool *is_process = nullptr;
  int *ranks = nullptr;  // in the communicator
};

struct Communicator;

// Data of collectives that has not been added up by process yet (logical.h).
struct Pending {
  bool exists = false;
  std::uint64_t to_all_messages = 0;
  std::uint64_t to_all_bytes = 0;
  std::uint64_t to_later_messages = 0;
  std::uint64_t to_later_bytes = 0;
  Communicator *next = nullptr;
};

// A live communicator. The record in the counters file outlives it.
struct Communicator {
  std::uint64_t handle = 0;
  std::uint64_t id = 0;
  std::uint32_t index = RANKWISE_COMMUNICATOR_OTHER;  // in keys
  std::uint32_t children = 0;                         // creating calls on it so far
  std::uint32_t windows = 0;                          // made from it so far
  std::uint32_t files = 0;                            // opened on it so far
  int rank = 0;
  int size = 0;
  int remote_size = 0;
  bool inter = false;
  bool is_world = false;
  inside::LateCalls late_calls;
  int *world_ranks = nullptr;  // of the destinations of messages, by rank; nullptr = not yet requested
  Neighbours *neighbours = nullptr;
  arrivals::OfCommunicator *arrivals = nullptr;  // nullptr = no rank can wait here
  Pending pending;
  rankwise_communicator *record = nullptr;  // nullptr = no room
  Communicator *next_unused = nullptr;

  // Its id, if other members surely use the same id; else 0.
  std::uint64_t common_id() const {
    return record == nullptr || (record->flags & RANKWISE_COMMUNICATOR_UNKNOWN_ORIGIN) != 0 ? 0 : id;
  }

  // Processes that messages and collectives reach: the remote group of an intercommunicator.
  int peers() const { return inter ? remote_size : size; }

  void release();
};

using Table = HandleTable<Communicator>;

inline constinit Table table;

// The origin of a communicator: everything that its name consists of.
struct Origin {
  Procedure procedure = Procedure::none;
  char letter = '?';
  std::uint64_t parent_id = 0;
  std::uint32_t parent_index = RANKWISE_COMMUNICATOR_NONE;
  std::uint32_t sequence = 0;
  int leader = 0;
  int tag = 0;
  std::uint64_t group_hash = 0;  // of a file: of its path and mode
  std::uint16_t flags = 0;       // rankwise_communicator_flags
  std::uint32_t site = RANKWISE_SITE_UNKNOWN;
};

// A record in the counters file, and its index in keys; none if there is no room.
struct Entry {
  std::uint32_t index = RANKWISE_COMMUNICATOR_OTHER;
  rankwise_communicator *record = nullptr;
};

// Makes a record.
Entry enter(const Origin &origin, int rank, int size, int remote_size);

// Marks the record as gone, or, for a file, as present again.
void note_freed(rankwise_communicator &record);
void note_not_freed(rankwise_communicator &record);

// Enters a communicator; nullptr if memory is exhausted. The caller fills in the record's other facts.
Communicator *add(std::uint64_t handle, const Origin &origin, int rank, int size, int remote_size);

// Publishes its neighbours to readers.
void note_neighbours(const Communicator &communicator);

// The communicator, hidden in the table before, is gone; records the time.
void freed(Communicator *communicator);

}  // namespace rankwise::communicators

#endif
