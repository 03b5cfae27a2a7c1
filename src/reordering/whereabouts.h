// Where this process is.
#ifndef RANKWISE_REORDERING_WHEREABOUTS_H
#define RANKWISE_REORDERING_WHEREABOUTS_H

#include "rankwise/reordering.h"

namespace rankwise::reordering {

// Determined at each call: a program may bind itself at any time.
rankwise_whereabouts whereabouts();

}  // namespace rankwise::reordering

#endif
