// What an order of processes costs: byte hops, and seconds from measured prices of messages.
#ifndef RANKWISE_REORDERING_DECIDING_OUTLOOK_H
#define RANKWISE_REORDERING_DECIDING_OUTLOOK_H

#include <cstdint>

#include "rankwise/reordering.h"
#include "slots.h"

namespace rankwise::reordering {

// Seconds, by distance.
struct Prices {
  const double *per_message;
  const double *per_byte;
};

// See rankwise_evaluate_order.
rankwise_outlook outlook(const rankwise_traffic &traffic, const Slots &slots, std::int32_t processes,
                         const std::int32_t *new_rank, const Prices &prices, const double *block);

}  // namespace rankwise::reordering

#endif
