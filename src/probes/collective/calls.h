// The collectives, and what they are called with.
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of one rank in one communicator.
typedef struct {
  char *send, *receive;
  size_t send_bytes, receive_bytes;
  int count;  // elements of a block
  MPI_Datatype type;
  MPI_Op op;
  int root, rank;
  int *counts, *starts;  // of the blocks, for those that want them
} Operands;

typedef struct {
  const char *name;  // as in MPI_Allreduce, without MPI_
  int (*call)(const Operands *operands, MPI_Comm comm);
  int sends, receives;  // blocks of a rank: SAME_AS_RANKS, or so many
  bool at_root_only;    // of the two, the one with SAME_AS_RANKS
} Collective;

enum { SAME_AS_RANKS = -1 };

// NULL if there is none of the name.
const Collective *collective_find(const char *name);

// Makes the operands for blocks of so many bytes, as docs/profile-format.md counts them. What stands against it goes
// to `line`, of LINE bytes.
void operands_make(Operands *operands, const Collective *collective, int64_t bytes, int root, MPI_Comm comm,
                   char *line);

// Puts the receive buffer into the state before a call.
void operands_reset(const Operands *operands, const Collective *collective);
void operands_free(Operands *operands);
