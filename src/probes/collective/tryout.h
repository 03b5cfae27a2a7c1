// Runs a batch: first every arm is checked, then come the rounds.
#pragma once

#include "../common/text.h"
#include "batch.h"

// All ranks call it together. On rank 0 the answer is added to `text`, by lines:
//
//   rejected ARM WHY          the arm can't be used; then there are no times
//   time ROUND ARM SECONDS    of a call: the median of the repetitions, of the rank that takes longest
//
// An error that makes the batch impossible goes to `line`, of LINE bytes, on every rank.
void tryout(const Batch *batch, const char *directory, int number, Text *text, char *line);
