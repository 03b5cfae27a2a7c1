// The arguments of the program: DIRECTORY MODE SIZES REPEATS SEED; REPEATS is a maximum number of round trips, or `=`
// and the exact number.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "schedule.h"

enum { MOST_SIZES = 64, LARGEST_MESSAGE = 1 << 30, MOST_REPEATS = 1000000 };

typedef struct {
  const char *directory;
  const char *mode_name;
  Mode mode;
  int sizes[MOST_SIZES];
  int count;
  int repeats;
  bool is_exact;  // no fewer
  uint64_t seed;
} Options;

// An error goes to `line`, of LINE bytes.
void options_read(int argc, char **argv, Options *options, char *line);
