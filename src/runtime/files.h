// Open files: found by handle, named without a message. Their records in the counters file stay.
// docs/explanation/how-it-works.md, "Names".
#ifndef RANKWISE_FILES_H
#define RANKWISE_FILES_H

#include <cstdint>

#include "communicators.h"
#include "format.h"
#include "handle_table.h"

namespace rankwise::files {

// A file as one communicator opens it in one mode, any number of times.
struct Opened {
  rankwise_file *record = nullptr;
  std::uint32_t index = RANKWISE_FILE_OTHER;     // in keys of accesses
  std::uint32_t handles = 0;                     // that are open
  std::uint32_t own_index = 0;                   // in keys, of its record among the communicators
  rankwise_communicator *own = nullptr;          // the record; nullptr = no room
  arrivals::OfCommunicator *arrivals = nullptr;  // nullptr = no rank can wait here
};

// An open file.
struct File {
  std::uint64_t handle = 0;
  std::uint32_t index = RANKWISE_FILE_OTHER;                // in keys of accesses
  std::uint32_t communicator = RANKWISE_COMMUNICATOR_NONE;  // in keys: its own record's, or that it was opened on
  Opened *opened = nullptr;                                 // nullptr = no room
  File *next_unused = nullptr;

  void release() {}
};

using Table = HandleTable<File>;

inline constinit Table table;

// Enters a file that was opened, and its records. Returns the file's index in keys of accesses.
//
// Args:
//   on: the communicator; nullptr = unknown.
//   mode: of rankwise_file_mode.
//   may_have_rows: whether the file may have separate rows among the communicators'.
std::uint32_t opened(std::uint64_t handle, const char *name, communicators::Communicator *on, std::uint32_t mode,
                     bool may_have_rows);

// The file, hidden in the table before, was closed; records the time.
void closed(File *file);

}  // namespace rankwise::files

#endif
