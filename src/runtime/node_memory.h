// The directory in the node's memory that holds the counters of its processes, for one keeper to save.
#ifndef RANKWISE_NODE_MEMORY_H
#define RANKWISE_NODE_MEMORY_H

#include <cstdint>

#include "format.h"

namespace rankwise::node_memory {

// A new file for the counters of this process; -1, with errno, if there is no memory for it anywhere. `name` is
// HOST.PID.TIME.counters. From now on its node's keeper must not end before it.
int enter(const char *run_directory, const char *host, const char *name);

// Of the file.
rankwise_memory kind();

// Whether this process has started the keeper of its node: it is the first one there.
bool is_first();

// The header is filled in: starts the keeper, or notifies the running one.
void entered(rankwise_header *head);

// There will be no counters after all.
void withdraw();

// MPI_Finalize has returned. The last process of the node waits until all is saved, for a short time.
void leave(rankwise_header *head);

// After that: another session has been opened. `file` holds the counters.
void enter_again(rankwise_header *head, int file);

// In a child that the process has forked: the keeper does not wait for it.
void keep_apart();

}  // namespace rankwise::node_memory

#endif
