/* Chooses the new rank of each process from the traffic between ranks and the locations of the processes. One process
 * decides for all; src/reordering distributes its input and its result.
 *
 * Processes stay where they are and get other ranks.
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

/* The location of a process, as its node's kernel reports it. */
struct rankwise_whereabouts {
  char host[64];   /* gethostname */
  int32_t package; /* the kernel's numbers of the objects that contain all its processors; -1: several objects, or not
                    * known */
  int32_t numa;
  int32_t l3;
  int32_t core;                                  /* in its package */
  uint64_t processors[RANKWISE_PROCESSOR_WORDS]; /* that it may use: bit p % 64 of word p / 64; no words: not known */
};

enum {
  RANKWISE_REORDERED = 0,
  RANKWISE_KEPT,          /* no order is cheaper than the present one */
  RANKWISE_NOT_REORDERED, /* `problem` is the reason */
  RANKWISE_BAD_MACHINE    /* the machine.json can't be read, or does not describe these processes; `problem` is the
                           * reason */
};

/* Role r is the work of the process of rank r. There are traffic->ranks roles, and at least as many processes.
 * Processes are listed by their present ranks.
 *
 * `machine` is the path of a machine.json that contains their hosts; with NULL, the machine is given by the nodes,
 * packages, NUMA nodes, L3 caches and cores that the processes report. The cost of a byte in hops is the number of
 * levels to go up, counted from the nearest that two processes can be.
 *
 * Fills new_rank [processes], the costs of the present order and of the new one in byte hops, and `problem`, a text.
 * Processes without a role get the last ranks, in their present order. */
int rankwise_new_ranks(const struct rankwise_traffic *traffic, const struct rankwise_whereabouts *where,
                       int32_t processes, const char *machine, int32_t *new_rank, double *before, double *after,
                       char *problem, size_t room);

#ifdef __cplusplus
}
#endif

#endif
