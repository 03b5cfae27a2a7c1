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

/* Distances between processes: the byte hops between them that are different. More than these count as the least of
 * these. */
enum { RANKWISE_MOST_DISTANCES = 8 };

/* Chooses pairs of processes that measure what a message costs, as many as possible at once for each distance. Fills
 * partner [RANKWISE_MOST_DISTANCES][processes] with the other process of the pair, -1 = none, from the least distance
 * on, and `distances`, the number of distances. Returns RANKWISE_KEPT, or an error as above. */
int rankwise_pairs_by_distance(const struct rankwise_whereabouts *where, int32_t processes, const char *machine,
                               int32_t *partner, int32_t *distances, char *problem, size_t room);

/* What an order costs. */
struct rankwise_outlook {
  double hops;    /* of all bytes */
  double seconds; /* that the messages take on the process where they take longest */
  double moving;  /* seconds in the same sense to hand over each process's block to the process of its rank */
};

/* Evaluates an order: new_rank [processes], NULL = the present one. A message between processes takes per_message
 * seconds and per_byte seconds for each byte, by their distance, both [RANKWISE_MOST_DISTANCES]; block [processes] is
 * in bytes. Returns RANKWISE_KEPT, or an error as above. */
int rankwise_evaluate_order(const struct rankwise_traffic *traffic, const struct rankwise_whereabouts *where,
                            int32_t processes, const char *machine, const int32_t *new_rank, const double *per_message,
                            const double *per_byte, const double *block, struct rankwise_outlook *outlook,
                            char *problem, size_t room);

#ifdef __cplusplus
}
#endif

#endif
