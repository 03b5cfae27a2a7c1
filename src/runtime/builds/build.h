// The body of a build, in two files for each ABI: the frequent calls, and all others. A file defines
// RANKWISE_BUILD_ABI, RANKWISE_ABI_HEADER and RANKWISE_TRANSPORTS_HEADER, and for the frequent calls also
// RANKWISE_FREQUENT, and then includes this one.

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "../abi/openmpi_variables.h"
#include "../arrivals.h"
#include "../call_sites.h"
#include "../clock.h"
#include "../communication.h"
#include "../communicators.h"
#include "../counters_file.h"
#include "../dispatch/dispatch.h"
#include "../dispatch/library.h"
#include "../dispatch/profiling.h"
#include "../files.h"
#include "../find_order.h"
#include "../frame_rules.h"
#include "../hash.h"
#include "../hooks/mpich/hooks.h"
#include "../hooks/relocations.h"
#include "../hooks/transport.h"
#include "../inside/inside.h"
#include "../inside/operations.h"
#include "../keys.h"
#include "../launcher.h"
#include "../lock.h"
#include "../logical.h"
#include "../memory.h"
#include "../node_clock.h"
#include "../occurrences.h"
#include "../process.h"
#include "../regions.h"
#include "../reorder.h"
#include "../report.h"
#include "../requests.h"
#include "../thread.h"
#include "../windows.h"
#include "../world_order.h"
#include "../wrappers/asked.h"
#include "../wrappers/booking.h"
#include "builds.h"

namespace rankwise::RANKWISE_BUILD_ABI {

#include RANKWISE_ABI_HEADER

// These belong together and in this order; each needs the types of the ABI.
#include "../wrappers/queries.h"
//
#include "../wrappers/world.h"
//
#include "../wrappers/groups.h"
#include "../wrappers/topology.h"
//
#include "../wrappers/logical_view.h"
//
#include "../wrappers/naming.h"
//
#include "../wrappers/call.h"
#include "../wrappers/made.h"
//
#include "../wrappers/one_sided.h"
//
#include "../wrappers/completion.h"
//
#include "../wrappers/starting.h"
//
#include "../wrappers/construction.h"
//
#include "../wrappers/own_cost.h"

void write_frequent(void **table);

// own_cost() of frequent calls.
std::uint64_t own_cost_of_frequent(bool world_is_open);

#ifdef RANKWISE_FREQUENT
std::uint64_t own_cost_of_frequent(bool world_is_open) { return own_cost(world_is_open); }

#include "../generated/frequent.inc"
#else
#include RANKWISE_TRANSPORTS_HEADER
//
#include "../wrappers/lifecycle.h"
//
#include "../wrappers/input_output.h"
//
#include "../wrappers/node_clocks.h"
//
#include "../wrappers/environment.h"
//
#include "../wrappers/sessions.h"
//
#include "../wrappers/communication.h"
//
#include "../wrappers/reordering/agreement.h"
//
#include "../wrappers/reordering/edges.h"
//
#include "../wrappers/reordering/adjacent.h"
#include "../wrappers/reordering/attempt.h"
#include "../wrappers/reordering/constructors.h"
#include "../wrappers/reordering/maps.h"
//
#include "../wrappers/world_order.h"
//
#include "../wrappers/outer.h"
//
#include "../generated/others.inc"

void write_wrappers(void **table) {
  write_frequent(table);
  write_others(table);
}
#endif

}  // namespace rankwise::RANKWISE_BUILD_ABI
