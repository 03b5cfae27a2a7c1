// librankwise_monitoring.so, which programs are linked with. It is a filter (ELF, DT_FILTER) of librankwise.so. The
// loader places librankwise.so before it, and so before the MPI library, and finds every function there.
#include "errors.h"

extern "C" {

// Its presence shows the runtime that the program is linked with this library and may query its own counters.
[[gnu::visibility("default")]] extern const char rankwise_linked;
const char rankwise_linked = 0;

// The functions of include/rankwise/MPI_Monitoring.h for the linker. They are called only with a loader that does not
// support filters (musl's).
#define ENTRY(name) \
  [[gnu::visibility("default")]] int name() { return rankwise::introspection::internal_fail; }
ENTRY(MPI_M_init)
ENTRY(MPI_M_finalize)
ENTRY(MPI_M_start)
ENTRY(MPI_M_suspend)
ENTRY(MPI_M_continue)
ENTRY(MPI_M_reset)
ENTRY(MPI_M_free)
ENTRY(MPI_M_get_info)
ENTRY(MPI_M_get_visible)
ENTRY(MPI_M_get_data)
ENTRY(MPI_M_allgather_data)
ENTRY(MPI_M_rootgather_data)
ENTRY(MPI_M_flush)
ENTRY(MPI_M_rootflush)
ENTRY(MPI_M_get_comm_time)
ENTRY(MPI_M_get_comm_data)
ENTRY(MPI_M_mapping)
ENTRY(MPI_M_reorder)
ENTRY(MPI_M_reorder_if_profitable)
ENTRY(MPI_M_redistribute)
ENTRY(MPI_M_start_fortran)
ENTRY(MPI_M_get_comm_time_fortran)
ENTRY(MPI_M_get_comm_data_fortran)
ENTRY(MPI_M_reorder_fortran)
ENTRY(MPI_M_reorder_if_profitable_fortran)
ENTRY(MPI_M_redistribute_fortran)
#undef ENTRY
}
