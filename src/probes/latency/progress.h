// What rank 0 tells and hears while the measurement runs: files in its directory.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  const char *directory;
  double start_us;
  double told_us;
} Progress;

Progress progress_start(const char *directory);
double progress_seconds(const Progress *progress);

// Tells how far it is, not too often. True if somebody wants it to stop.
bool progress_tell(Progress *progress, int64_t done, int64_t total);
