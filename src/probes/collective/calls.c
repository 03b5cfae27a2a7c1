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
    {"Barrier", barrier, 0, 0, false},
    {"Bcast", bcast, 1, 1, false},
    {"Gather", gather, 1, SAME_AS_RANKS, true},
    {"Gatherv", gatherv, 1, SAME_AS_RANKS, true},
    {"Scatter", scatter, SAME_AS_RANKS, 1, true},
    {"Scatterv", scatterv, SAME_AS_RANKS, 1, true},
    {"Allgather", allgather, 1, SAME_AS_RANKS, false},
    {"Allgatherv", allgatherv, 1, SAME_AS_RANKS, false},
    {"Alltoall", alltoall, SAME_AS_RANKS, SAME_AS_RANKS, false},
    {"Alltoallv", alltoallv, SAME_AS_RANKS, SAME_AS_RANKS, false},
    {"Reduce", reduce, 1, 1, false},
    {"Allreduce", allreduce, 1, 1, false},
    {"Reduce_scatter", reduce_scatter, SAME_AS_RANKS, 1, false},
    {"Reduce_scatter_block", reduce_scatter_block, SAME_AS_RANKS, 1, false},
    {"Scan", scan, 1, 1, false},
    {"Exscan", exscan, 1, 1, false},
};

const Collective *collective_find(const char *name) {
  for (size_t i = 0; i < sizeof COLLECTIVES / sizeof *COLLECTIVES; i++)
    if (strcmp(COLLECTIVES[i].name, name) == 0) return &COLLECTIVES[i];
  return NULL;
}

static size_t blocks(int wanted, const Collective *collective, const Operands *o, int ranks) {
  if (wanted != SAME_AS_RANKS) return (size_t)wanted;
  return collective->at_root_only && o->rank != o->root ? 0 : (size_t)ranks;
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

void operands_make(Operands *o, const Collective *collective, int64_t bytes, int root, MPI_Comm comm, char *line) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  bool has_doubles = bytes % (int64_t)sizeof(double) == 0;
  int64_t count = has_doubles ? bytes / (int64_t)sizeof(double) : bytes;
  *o = (Operands){.type = has_doubles ? MPI_DOUBLE : MPI_BYTE, .op = has_doubles ? MPI_SUM : MPI_BOR, .root = root};
  MPI_Comm_rank(comm, &o->rank);
  if (count > INT_MAX / ranks) {
    snprintf(line, LINE, "blocks of %lld bytes are too large to be tried out", (long long)bytes);
    return;
  }
  o->count = (int)count;
  o->send_bytes = blocks(collective->sends, collective, o, ranks) * (size_t)bytes;
  o->receive_bytes = blocks(collective->receives, collective, o, ranks) * (size_t)bytes;
  o->send = malloc(o->send_bytes + 1);
  o->receive = malloc(o->receive_bytes + 1);
  o->counts = needed((size_t)ranks * sizeof(int));
  o->starts = needed((size_t)ranks * sizeof(int));
  if (!o->send || !o->receive) {
    snprintf(line, LINE, "not enough memory for blocks of %lld bytes", (long long)bytes);
    return;
  }
  for (int i = 0; i < ranks; i++) {
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

void operands_free(Operands *o) {
  free(o->send);
  free(o->receive);
  free(o->counts);
  free(o->starts);
  *o = (Operands){0};
}
