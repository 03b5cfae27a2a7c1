// Files that are open: found by handle. Their records in the counters file stay.
#ifndef RANKWISE_FILES_H
#define RANKWISE_FILES_H

#include <cstdint>

#include "format.h"
#include "handle_table.h"

namespace rankwise::files {

// A file that is open.
struct File {
  std::uint64_t handle = 0;
  std::uint32_t index = RANKWISE_FILE_OTHER;                // in keys
  std::uint32_t communicator = RANKWISE_COMMUNICATOR_NONE;  // index in keys of the one that it was opened on
  File *next_unused = nullptr;

  void release() {}
};

using Table = HandleTable<File>;

inline constinit Table table;

// Enters a file that was opened, and its record. Returns the file's index in keys. `mode` is of rankwise_file_mode.
std::uint32_t opened(std::uint64_t handle, const char *name, std::uint32_t communicator, std::uint32_t mode);

}  // namespace rankwise::files

#endif
