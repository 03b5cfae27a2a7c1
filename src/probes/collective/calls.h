// The collectives and their arguments.
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of one rank in one communicator.
typedef struct {
  char *send, *receive;  // with room for an element of each rank after the collective's data
  char *scratch;         // as much as the larger of both, on each rank; NULL if not needed
  size_t send_bytes, receive_bytes;
  int count;  // elements of a block
  MPI_Datatype type;
  MPI_Op op;
  int root, rank, ranks;
  int *counts, *starts;  // of the blocks, for collectives with displacements
} Operands;

// The expected content of the receive buffer. OWN: the block of this rank in the sender's buffer.
typedef enum {
  NOTHING,
  FROM_ROOT,
  OWN_FROM_ROOT,
  FROM_EACH,
  OWN_FROM_EACH,
  REDUCED,
  REDUCED_AT_ROOT,
  OWN_REDUCED,
  REDUCED_UP_TO_THIS,
  REDUCED_BEFORE_THIS
} Result;

typedef struct {
  const char *name;  // as in MPI_Allreduce, without MPI_
  int (*call)(const Operands *operands, MPI_Comm comm);
  int sends, receives;  // blocks of a rank: SAME_AS_RANKS, or so many
  bool at_root_only;    // the SAME_AS_RANKS
  Result result;
} Collective;

enum { SAME_AS_RANKS = -1 };

// NULL if no collective has this name.
const Collective *collective_find(const char *name);

// Makes the operands for blocks of so many bytes, counted as in docs/reference/profile-format.md. An error goes to
// `line`, of LINE bytes. The scratch memory is for mock-ups (mockups.h).
void operands_make(Operands *operands, const Collective *collective, int64_t bytes, int root, MPI_Comm comm,
                   bool with_scratch, char *line);

// Puts the receive buffer into the state before a call.
void operands_reset(const Operands *operands, const Collective *collective);

// Whether the receive buffer has the correct result of the collective.
bool operands_hold_result(const Operands *operands, const Collective *collective);
void operands_free(Operands *operands);
