// The files of MPI_M_flush and MPI_M_rootflush. docs/reference/introspection.md describes them.
#ifndef RANKWISE_INTROSPECTION_FILES_H
#define RANKWISE_INTROSPECTION_FILES_H

#include "sessions.h"

namespace rankwise::introspection {

// `filename`.[rank].prof: one line for each member.
bool write_row(const char *filename, const Rows &rows);

// `filename`_counts.[world rank].prof and `filename`_sizes.[world rank].prof: one line for each member.
bool write_matrices(const char *filename, const Rows &rows);

}  // namespace rankwise::introspection

#endif
