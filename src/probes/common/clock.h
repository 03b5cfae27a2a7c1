#pragma once

#include <time.h>

// Microseconds since an arbitrary moment. MPI_Wtime counts whole microseconds in some libraries.
static inline double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}
