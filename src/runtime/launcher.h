// The launcher's information for its processes in the environment: known before MPI_Init returns.
#ifndef RANKWISE_LAUNCHER_H
#define RANKWISE_LAUNCHER_H

#include <cstddef>

namespace rankwise::launcher {

int rank();        // -1 if unknown
int size();        // -1 if unknown
int local_rank();  // within the node; -1 if unknown

// The variables that contain the rank of a process are numbered: the number of one, -1 for other variables, and its
// name.
int rank_variable_number(const char *name);
const char *rank_variable(int number);

// A text that distinguishes this MPI_COMM_WORLD from others in the same run directory; empty if unknown.
void job(char *text, std::size_t bytes);

// The id of the batch system's job; empty without one. Not all processes of a world need know it: some launchers start
// them on other nodes without these variables.
void batch_job(char *text, std::size_t bytes);

}  // namespace rankwise::launcher

#endif
