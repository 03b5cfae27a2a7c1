#ifndef RANKWISE_ONLINE_CLOCK_H
#define RANKWISE_ONLINE_CLOCK_H

#include <time.h>

#include <cstdint>

namespace rankwise::online {

// All processes of a node read the same clock.
inline std::int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

}  // namespace rankwise::online

#endif
