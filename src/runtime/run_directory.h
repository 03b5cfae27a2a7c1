// Where the counters of this process's job are saved.
#ifndef RANKWISE_RUN_DIRECTORY_H
#define RANKWISE_RUN_DIRECTORY_H

#include <cstddef>
#include <cstdlib>

namespace rankwise::run_directory {

inline const char *unless_empty(const char *value) { return value != nullptr && *value != '\0' ? value : nullptr; }

// Whether there is one: `rankwise run` has created it (RANKWISE_DIR), or each job gets a separate one below a directory
// that `rankwise env` has set (RANKWISE_JOBS). Every process checks at its start.
inline bool is_given() {
  return unless_empty(std::getenv("RANKWISE_DIR")) != nullptr || unless_empty(std::getenv("RANKWISE_JOBS")) != nullptr;
}

// Its path; nullptr without one: the counters are then only for the program. The same in all processes of a job.
//
// Nothing is created here: the keeper creates a job's directory.
const char *path();

// The path of a file there that `rankwise run` has written; false without a directory.
bool path_of(const char *name, char *path, std::size_t bytes);

}  // namespace rankwise::run_directory

#endif
