// header.json: what the measurement was, and how its table is to be read.
#pragma once

#include "hosts.h"
#include "options.h"
#include "table.h"

typedef struct {
  int64_t steps, steps_done;
  int64_t pairs_expected;
  bool interrupted;
  double seconds;
} Outcome;

// All ranks call it together; rank 0 writes. What is wrong goes to `line`, of LINE bytes.
void header_write(const Options *options, const Hosts *hosts, const Table *table, const Outcome *outcome, char *line);
