#include "calls.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/failure.h"

static int barrier(const Operands *o, MPI_Comm comm) {
  (void)o;
  return MPI_Barrier(comm);
}

static int bcast(const Operands *o, MPI_Comm comm) { return MPI_Bcast(o->receive, o->count, o->type, o->root, comm); }

static int gather(const Operands *o, MPI_Comm comm) {
  return MPI_Gather(o->send, o->count, o->type, o->receive, o->count, o->type, o->root, comm);
}

static int gatherv(const Operands *o, MPI_Comm comm) {
  return MPI_Gatherv(o->send, o->count, o->type, o->receive, o->counts, o->starts, o->type, o->root, comm);
}

static int scatter(const Operands *o, MPI_Comm comm) {
  return MPI_Scatter(o->send, o->count, o->type, o->receive, o->count, o->type, o->root, comm);
}

static int scatterv(const Operands *o, MPI_Comm comm) {
  return MPI_Scatterv(o->send, o->counts, o->starts, o->type, o->receive, o->count, o->type, o->root, comm);
}

static int allgather(const Operands *o, MPI_Comm comm) {
  return MPI_Allgather(o->send, o->count, o->type, o->receive, o->count, o->type, comm);
}

static int allgatherv(const Operands *o, MPI_Comm comm) {
  return MPI_Allgatherv(o->send, o->count, o->type, o->receive, o->counts, o->starts, o->type, comm);
}

static int alltoall(const Operands *o, MPI_Comm comm) {
  return MPI_Alltoall(o->send, o->count, o->type, o->receive, o->count, o->type, comm);
}

static int alltoallv(const Operands *o, MPI_Comm comm) {
  return MPI_Alltoallv(o->send, o->counts, o->starts, o->type, o->receive, o->counts, o->starts, o->type, comm);
}

static int reduce(const Operands *o, MPI_Comm comm) {
  return MPI_Reduce(o->send, o->receive, o->count, o->type, o->op, o->root, comm);
}

static int allreduce(const Operands *o, MPI_Comm comm) {
  return MPI_Allreduce(o->send, o->receive, o->count, o->type, o->op, comm);
}

static int reduce_scatter(const Operands *o, MPI_Comm comm) {
  return MPI_Reduce_scatter(o->send, o->receive, o->counts, o->type, o->op, comm);
}

static int reduce_scatter_block(const Operands *o, MPI_Comm comm) {
  return MPI_Reduce_scatter_block(o->send, o->receive, o->count, o->type, o->op, comm);
}

static int scan(const Operands *o, MPI_Comm comm) {
  return MPI_Scan(o->send, o->receive, o->count, o->type, o->op, comm);
}

static int exscan(const Operands *o, MPI_Comm comm) {
  return MPI_Exscan(o->send, o->receive, o->count, o->type, o->op, comm);
}

static const Collective COLLECTIVES[] = {
    {"Barrier", barrier, 0, 0, false, NOTHING},
    {"Bcast", bcast, 1, 1, false, FROM_ROOT},
    {"Gather", gather, 1, SAME_AS_RANKS, true, FROM_EACH},
    {"Gatherv", gatherv, 1, SAME_AS_RANKS, true, FROM_EACH},
    {"Scatter", scatter, SAME_AS_RANKS, 1, true, OWN_FROM_ROOT},
    {"Scatterv", scatterv, SAME_AS_RANKS, 1, true, OWN_FROM_ROOT},
    {"Allgather", allgather, 1, SAME_AS_RANKS, false, FROM_EACH},
    {"Allgatherv", allgatherv, 1, SAME_AS_RANKS, false, FROM_EACH},
    {"Alltoall", alltoall, SAME_AS_RANKS, SAME_AS_RANKS, false, OWN_FROM_EACH},
    {"Alltoallv", alltoallv, SAME_AS_RANKS, SAME_AS_RANKS, false, OWN_FROM_EACH},
    {"Reduce", reduce, 1, 1, false, REDUCED_AT_ROOT},
    {"Allreduce", allreduce, 1, 1, false, REDUCED},
    {"Reduce_scatter", reduce_scatter, SAME_AS_RANKS, 1, false, OWN_REDUCED},
    {"Reduce_scatter_block", reduce_scatter_block, SAME_AS_RANKS, 1, false, OWN_REDUCED},
    {"Scan", scan, 1, 1, false, REDUCED_UP_TO_THIS},
    {"Exscan", exscan, 1, 1, false, REDUCED_BEFORE_THIS},
};

const Collective *collective_find(const char *name) {
  for (size_t i = 0; i < sizeof COLLECTIVES / sizeof *COLLECTIVES; i++)
    if (strcmp(COLLECTIVES[i].name, name) == 0) return &COLLECTIVES[i];
  return NULL;
}

static size_t blocks(int wanted, const Collective *collective, const Operands *o) {
  if (wanted != SAME_AS_RANKS) return (size_t)wanted;
  return collective->at_root_only && o->rank != o->root ? 0 : (size_t)o->ranks;
}

// Different on each rank and in each block. Sums of some million ranks are exact.
static int pattern(int rank, size_t element) {
  uint64_t mixed = ((uint64_t)rank * 0x9e3779b97f4a7c15U) ^ ((element + 1) * 0xbf58476d1ce4e5b9U);
  return (int)((mixed ^ mixed >> 29) * 0x94d049bb133111ebU >> 57);
}

static void fill(const Operands *o) {
  if (o->type == MPI_DOUBLE) {
    double *numbers = (double *)(void *)o->send;
    for (size_t i = 0; i < o->send_bytes / sizeof(double); i++) numbers[i] = pattern(o->rank, i);
  } else {
    for (size_t i = 0; i < o->send_bytes; i++) o->send[i] = (char)pattern(o->rank, i);
  }
}

void operands_make(Operands *o, const Collective *collective, int64_t bytes, int root, MPI_Comm comm, bool with_scratch,
                   char *line) {
  bool has_doubles = bytes % (int64_t)sizeof(double) == 0;
  int64_t count = has_doubles ? bytes / (int64_t)sizeof(double) : bytes;
  *o = (Operands){.type = has_doubles ? MPI_DOUBLE : MPI_BYTE, .op = has_doubles ? MPI_SUM : MPI_BOR, .root = root};
  MPI_Comm_rank(comm, &o->rank);
  MPI_Comm_size(comm, &o->ranks);
  if (count > INT_MAX / o->ranks) {
    snprintf(line, LINE, "blocks of %lld bytes are too large to be tried out", (long long)bytes);
    return;
  }
  o->count = (int)count;
  o->send_bytes = blocks(collective->sends, collective, o) * (size_t)bytes;
  o->receive_bytes = blocks(collective->receives, collective, o) * (size_t)bytes;
  size_t more = (size_t)o->ranks * sizeof(double);
  o->send = calloc(o->send_bytes + more, 1);
  o->receive = malloc(o->receive_bytes + more);
  bool has_many_blocks = collective->sends == SAME_AS_RANKS || collective->receives == SAME_AS_RANKS;
  if (with_scratch) o->scratch = malloc((has_many_blocks ? (size_t)o->ranks : 1) * (size_t)bytes + more);
  o->counts = needed((size_t)o->ranks * sizeof(int));
  o->starts = needed((size_t)o->ranks * sizeof(int));
  if (!o->send || !o->receive || (with_scratch && !o->scratch)) {
    snprintf(line, LINE, "not enough memory for blocks of %lld bytes", (long long)bytes);
    return;
  }
  for (int i = 0; i < o->ranks; i++) {
    o->counts[i] = o->count;
    o->starts[i] = i * o->count;
  }
  fill(o);
}

void operands_reset(const Operands *o, const Collective *collective) {
  if (collective->call == bcast && o->rank == o->root)
    memcpy(o->receive, o->send, o->receive_bytes);
  else
    memset(o->receive, 0xa5, o->receive_bytes);
}

// Of the ranks from 0 on.
static int reduced(const Operands *o, int ranks, size_t element) {
  int result = 0;
  for (int rank = 0; rank < ranks; rank++)
    result = o->op == MPI_SUM ? result + pattern(rank, element) : result | pattern(rank, element);
  return result;
}

static int result_of(const Operands *o, Result result, size_t i) {
  size_t count = (size_t)o->count, own = (size_t)o->rank * count;
  switch (result) {
    case FROM_ROOT:
      return pattern(o->root, i);
    case OWN_FROM_ROOT:
      return pattern(o->root, own + i);
    case FROM_EACH:
      return pattern((int)(i / count), i % count);
    case OWN_FROM_EACH:
      return pattern((int)(i / count), own + i % count);
    case REDUCED:
    case REDUCED_AT_ROOT:
      return reduced(o, o->ranks, i);
    case OWN_REDUCED:
      return reduced(o, o->ranks, own + i);
    case REDUCED_UP_TO_THIS:
      return reduced(o, o->rank + 1, i);
    case REDUCED_BEFORE_THIS:
      return reduced(o, o->rank, i);
    default:
      return 0;
  }
}

bool operands_hold_result(const Operands *o, const Collective *collective) {
  Result result = collective->result;
  if (result == REDUCED_AT_ROOT && o->rank != o->root) return true;
  if (result == REDUCED_BEFORE_THIS && o->rank == 0) return true;
  bool has_doubles = o->type == MPI_DOUBLE;
  const double *numbers = (const double *)(const void *)o->receive;
  size_t elements = o->receive_bytes / (has_doubles ? sizeof(double) : 1);
  for (size_t i = 0; i < elements; i++)
    if ((has_doubles ? numbers[i] : o->receive[i]) != result_of(o, result, i)) return false;
  return true;
}

void operands_free(Operands *o) {
  free(o->send);
  free(o->receive);
  free(o->scratch);
  free(o->counts);
  free(o->starts);
  *o = (Operands){0};
}
