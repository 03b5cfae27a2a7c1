// Rank 0's reports and commands while the measurement runs: files in its directory.
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

// Reports the progress, not too often. True if a stop was requested.
bool progress_tell(Progress *progress, int64_t done, int64_t total);
