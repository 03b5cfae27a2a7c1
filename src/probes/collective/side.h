// This rank's view of a grouping: its communicators and buffers.
#pragma once

#include <mpi.h>
#include <stdbool.h>

#include "batch.h"

typedef struct {
  bool takes_part;
  MPI_Comm together;  // all ranks that take part
  MPI_Comm group;     // those in this rank's communicator of the program
  MPI_Comm *of_arms;  // the group again, for each arm as it was chosen; MPI_COMM_NULL: not yet
  int arms;
  int64_t late_ns;
  Operands operands, larger;  // the latter for arms with larger messages
} Side;

// All ranks call it together. An error goes to `line`, of LINE bytes.
void side_make(Side *side, const Batch *batch, const Grouping *grouping, char *line);

// Makes the communicator of an arm: the library decides now, or at each call. Every rank of the side calls it.
void side_choose(Side *side, const Batch *batch, int arm);
void side_free(Side *side);
