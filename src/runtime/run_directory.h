// Where the counters of this process's job are saved.
#ifndef RANKWISE_RUN_DIRECTORY_H
#define RANKWISE_RUN_DIRECTORY_H

namespace rankwise::run_directory {

// Whether there is one: `rankwise run` has made it (RANKWISE_DIR), or each job is to have its own below a directory
// that `rankwise env` has set (RANKWISE_JOBS).
bool is_given();

// Its path; nullptr where there is none, and the counters are for the program alone. The same in all processes of a
// job.
//
// Nothing is done there: a job's own one is made by who saves.
const char *path();

}  // namespace rankwise::run_directory

#endif
