#include "mockups.h"

#include <string.h>

enum { PARTS = 4 };

static size_t bytes_of(const Operands *o, int elements) {
  return (size_t)elements * (o->type == MPI_DOUBLE ? sizeof(double) : 1);
}

// Each rank's part of a block that is cut into as many parts as there are ranks; the last ones may be padding.
static int part(const Operands *o) { return (o->count + o->ranks - 1) / o->ranks; }

static int gather_bcast(const Operands *o, MPI_Comm comm) {
  int code = MPI_Gather(o->send, o->count, o->type, o->receive, o->count, o->type, o->root, comm);
  return code ? code : MPI_Bcast(o->receive, o->count * o->ranks, o->type, o->root, comm);
}

static int alltoall(const Operands *o, MPI_Comm comm) {
  size_t bytes = bytes_of(o, o->count);
  for (int i = 0; i < o->ranks; i++) memcpy(o->scratch + (size_t)i * bytes, o->send, bytes);
  return MPI_Alltoall(o->scratch, o->count, o->type, o->receive, o->count, o->type, comm);
}

static int reduce_bcast(const Operands *o, MPI_Comm comm) {
  int code = MPI_Reduce(o->send, o->receive, o->count, o->type, o->op, o->root, comm);
  return code ? code : MPI_Bcast(o->receive, o->count, o->type, o->root, comm);
}

static int reduce_scatter_block_allgather(const Operands *o, MPI_Comm comm) {
  int code = MPI_Reduce_scatter_block(o->send, o->scratch, part(o), o->type, o->op, comm);
  return code ? code : MPI_Allgather(o->scratch, part(o), o->type, o->receive, part(o), o->type, comm);
}

static int scatter_allgather(const Operands *o, MPI_Comm comm) {
  int code = MPI_Scatter(o->receive, part(o), o->type, o->scratch, part(o), o->type, o->root, comm);
  return code ? code : MPI_Allgather(o->scratch, part(o), o->type, o->receive, part(o), o->type, comm);
}

static int allreduce(const Operands *o, MPI_Comm comm) {
  return MPI_Allreduce(o->send, o->receive, o->count, o->type, o->op, comm);
}

static int allgather(const Operands *o, MPI_Comm comm) {
  char *all = o->rank == o->root ? o->receive : o->scratch;
  return MPI_Allgather(o->send, o->count, o->type, all, o->count, o->type, comm);
}

static int bcast(const Operands *o, MPI_Comm comm) {
  size_t bytes = bytes_of(o, o->count);
  char *all = o->rank == o->root ? o->send : o->scratch;
  int code = MPI_Bcast(all, o->count * o->ranks, o->type, o->root, comm);
  memcpy(o->receive, all + (size_t)o->rank * bytes, bytes);
  return code;
}

static int reduce_scatter(const Operands *o, MPI_Comm comm) {
  int code = MPI_Reduce(o->send, o->scratch, o->count * o->ranks, o->type, o->op, o->root, comm);
  return code ? code : MPI_Scatter(o->scratch, o->count, o->type, o->receive, o->count, o->type, o->root, comm);
}

static int exscan_local(const Operands *o, MPI_Comm comm) {
  int code = MPI_Exscan(o->send, o->receive, o->count, o->type, o->op, comm);
  if (code) return code;
  if (o->rank > 0) return MPI_Reduce_local(o->send, o->receive, o->count, o->type, o->op);
  memcpy(o->receive, o->send, bytes_of(o, o->count));
  return MPI_SUCCESS;
}

static int small_allreduce(const Operands *o, MPI_Comm comm) {
  (void)o;
  int mine = 1, all;
  return MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
}

// Calls a collective for one part of the blocks after the other.
static int in_parts(const Operands *o, MPI_Comm comm, int (*call)(const Operands *part, MPI_Comm comm)) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < PARTS && code == MPI_SUCCESS; i++) {
    int first = (int)((int64_t)o->count * i / PARTS), end = (int)((int64_t)o->count * (i + 1) / PARTS);
    Operands one = *o;
    one.send += bytes_of(o, first);
    one.receive += bytes_of(o, first);
    one.count = end - first;
    code = call(&one, comm);
  }
  return code;
}

static int allreduce_in_parts(const Operands *o, MPI_Comm comm) { return in_parts(o, comm, allreduce); }

static int bcast_part(const Operands *o, MPI_Comm comm) {
  return MPI_Bcast(o->receive, o->count, o->type, o->root, comm);
}

static int bcast_in_parts(const Operands *o, MPI_Comm comm) { return in_parts(o, comm, bcast_part); }

static int reduce_part(const Operands *o, MPI_Comm comm) {
  return MPI_Reduce(o->send, o->receive, o->count, o->type, o->op, o->root, comm);
}

static int reduce_in_parts(const Operands *o, MPI_Comm comm) { return in_parts(o, comm, reduce_part); }

static const Mockup MOCKUPS[] = {
    {"Gather+Bcast", "Allgather", gather_bcast},
    {"Alltoall", "Allgather", alltoall},
    {"Reduce+Bcast", "Allreduce", reduce_bcast},
    {"Reduce_scatter_block+Allgather", "Allreduce", reduce_scatter_block_allgather},
    {"parts", "Allreduce", allreduce_in_parts},
    {"Scatter+Allgather", "Bcast", scatter_allgather},
    {"parts", "Bcast", bcast_in_parts},
    {"Allreduce", "Reduce", allreduce},
    {"parts", "Reduce", reduce_in_parts},
    {"Allgather", "Gather", allgather},
    {"Bcast", "Scatter", bcast},
    {"Reduce+Scatter", "Reduce_scatter_block", reduce_scatter},
    {"Exscan+Reduce_local", "Scan", exscan_local},
    {"Allreduce", "Barrier", small_allreduce},
};

const Mockup *mockup_find(const char *name, const Collective *collective) {
  for (size_t i = 0; i < sizeof MOCKUPS / sizeof *MOCKUPS; i++)
    if (strcmp(MOCKUPS[i].name, name) == 0 && strcmp(MOCKUPS[i].collective, collective->name) == 0) return &MOCKUPS[i];
  return NULL;
}
