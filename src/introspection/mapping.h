// MPI_M_mapping: new ranks from a matrix, computed by one process. It knows where the others are since it gathered the
// matrix.
#ifndef RANKWISE_INTROSPECTION_MAPPING_H
#define RANKWISE_INTROSPECTION_MAPPING_H

#include "errors.h"
#include "members.h"

namespace rankwise::introspection::mapping {

// Collective, after rows have been gathered: the root also gets the locations of the processes, once.
Error gather_places(Members &members, int root);

// These are about to be freed.
void forget(const rankwise_whereabouts *places);

// sizes [n][n], k [n].
Error find(const unsigned long *sizes, int n, int *k);

}  // namespace rankwise::introspection::mapping

#endif
