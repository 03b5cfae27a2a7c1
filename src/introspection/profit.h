// MPI_M_reorder_if_profitable: reorders only if the rest of the run saves more time than it costs to hand over the
// data. Source of the trade-off: RR-9292 (Inria), figure of gains by buffer size and iterations.
#ifndef RANKWISE_INTROSPECTION_PROFIT_H
#define RANKWISE_INTROSPECTION_PROFIT_H

#include "../runtime/communication.h"
#include "errors.h"

namespace rankwise::introspection {

// MPI_M_forecast of MPI_Monitoring.h, which describes it.
struct Forecast {
  double repetitions;
  double bytes;
  int reordered;
  double gain;
  double cost;
  double distance;
  char reason[200];
};

// `optimised` is MPI_COMM_NULL if the order stays; `k` may be nullptr.
Error reorder_if_profitable(int id, Handle comm, const char *machine, Forecast *forecast, Handle *optimised, int *k);

}  // namespace rankwise::introspection

#endif
