// Measures one pair of ranks: half of blocking round trips, time in MPI_Send, bandwidth.
#pragma once

#include <stdbool.h>

#include "options.h"
#include "records.h"

typedef struct {
  const int *sizes;  // of messages, in bytes
  int count;
  int repeats;    // at most so many round trips of a size
  bool is_exact;  // no fewer
  bool yields;    // as in blocking.h
  char *out, *in;
  double *times;
} Pingpong;

// False if there is no memory for the messages.
bool pingpong_make(Pingpong *pingpong, const Options *options, bool yields);
void pingpong_free(Pingpong *pingpong);

// The partner with the lower rank leads: it keeps the time and decides when to stop.
void pingpong_lead(const Pingpong *pingpong, int partner, Record *record);
void pingpong_follow(const Pingpong *pingpong, int partner);
