// The partners of each step. Every rank computes its own partners: nothing is communicated or stored.
#pragma once

#include <stdint.h>

#include "shape.h"

typedef enum {
  QUIET,    // one pair of a node at a time
  LOADED,   // all ranks at once
  LEADERS,  // the first rank of each node only
  SAMPLE,   // some of the steps of LOADED
  SERIAL,   // one pair of the job at a time
} Mode;

typedef struct {
  const Shape *shape;
  Mode mode;
  uint64_t seed;
  int64_t inside;   // steps inside nodes
  int64_t between;  // steps between nodes
  int64_t taken_inside, taken_between;
} Schedule;

// Steps come in a random order that `seed` chooses; SERIAL's are in order.
Schedule schedule_make(const Shape *shape, Mode mode, uint64_t seed);
int64_t schedule_steps(const Schedule *schedule);

// A rank's partner in a step; -1 if it has none.
int schedule_partner(const Schedule *schedule, int64_t step, int rank);
