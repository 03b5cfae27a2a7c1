// header.json: describes the measurement and the format of its table.
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

// All ranks call it together; rank 0 writes. An error goes to `line`, of LINE bytes.
void header_write(const Options *options, const Hosts *hosts, const Table *table, const Outcome *outcome, char *line);
