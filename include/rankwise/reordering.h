/* Which rank each process should have: from what ranks send each other and where the processes are. What one process
 * decides for all; how they tell it, and learn the result, is src/reordering.
 *
 * Processes stay where they are, and get other ranks.
 */
#ifndef RANKWISE_REORDERING_H
#define RANKWISE_REORDERING_H

#include <stddef.h>
#include <stdint.h>

#include "placement.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RANKWISE_PROCESSOR_WORDS = 32 };

/* Where a process is, as its node's kernel tells. */
struct rankwise_whereabouts {
  char host[64];   /* gethostname */
  int32_t package; /* the kernel's numbers of what all its processors are in; -1: they are in several, or not known */
  int32_t numa;
  int32_t l3;
  int32_t core;                                  /* in its package */
  uint64_t processors[RANKWISE_PROCESSOR_WORDS]; /* that it may use: bit p % 64 of word p / 64; none: not known */
};

enum {
  RANKWISE_REORDERED = 0,
  RANKWISE_KEPT,          /* nothing is cheaper than the present order */
  RANKWISE_NOT_REORDERED, /* `problem` says why */
  RANKWISE_BAD_MACHINE    /* likewise: the machine.json can't be read, or is not that of these processes */
};

/* Role r is what the process of rank r does: traffic->ranks roles of as many processes or more. Processes are given by
 * their present ranks.
 *
 * `machine` is the path of a machine.json that has their hosts; NULL: nodes, packages, NUMA nodes, L3 caches and cores
 * as the processes tell. A byte costs as many hops as there are levels to go up from the nearest that two can be.
 *
 * Fills new_rank [processes], the costs of the present order and of the new one in byte hops, and `problem`, a text.
 * Processes without a role have the last ranks, in their present order. */
int rankwise_new_ranks(const struct rankwise_traffic *traffic, const struct rankwise_whereabouts *where,
                       int32_t processes, const char *machine, int32_t *new_rank, double *before, double *after,
                       char *problem, size_t room);

#ifdef __cplusplus
}
#endif

#endif
