// Pairs that are much slower than others of their class: inside nodes, or between them.
#pragma once

#include <stdint.h>

#include "records.h"
#include "shape.h"

enum { MOST_SUSPECTS = 256 };

typedef struct {
  int first, second;
  float times_slower;  // than the median of the class, where it is worst
} Suspect;

// All ranks call it together, each with the pairs that it led, and get the same list, worst first: at most
// MOST_SUSPECTS. Returns the number.
int suspects_find(const Records *pairs, const Shape *shape, Suspect *suspects);
