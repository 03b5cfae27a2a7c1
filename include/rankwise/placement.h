/* Where ranks go: a slot of the machine for each rank, so that those that communicate much are near each other.
 *
 * The machine is a tree: slots belong to objects (node, package, ...), and a message costs the more the fewer objects
 * its ends have in common. What is between nodes may be a torus, a dragonfly, what forwarding tables say, or measured
 * instead. The result is never dearer than the natural order (rank r in slot r) or the present placement, is the same
 * for the same input and seed, and puts no two ranks into one slot.
 */
#ifndef RANKWISE_PLACEMENT_H
#define RANKWISE_PLACEMENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What ranks send each other: `entries` triples in any order. Those of one pair add up, in both directions; what a
 * rank sends to itself costs nothing. */
struct rankwise_traffic {
  int32_t ranks;
  int64_t entries;
  const int32_t *source;
  const int32_t *destination;
  const double *bytes;    /* not negative, finite */
  const double *messages; /* likewise; NULL if they cost nothing */
};

/* What a placement is to make small. */
enum {
  RANKWISE_SUM = 0,   /* what all messages cost together */
  RANKWISE_BOTTLENECK /* the load of the most loaded link: bytes x what they cost there; where that is equal, the sum.
                       * Links of objects count, of both directions together, and those of a torus, of a dragonfly and
                       * of routes, each direction by itself; in a torus, messages go along the first axis first, and
                       * forward if both ways are equally long. */
};

enum { RANKWISE_TORUS = 1, RANKWISE_DRAGONFLY, RANKWISE_MATRIX, RANKWISE_ROUTES };

/* What lies between nodes, where that is no tree. A message between slots of different nodes costs the first price of
 * the slots and what the network adds for the two nodes; objects around nodes tell nothing then. Both directions of a
 * pair go together, so they cost the same. */
struct rankwise_network {
  int32_t kind;
  int32_t
      level; /* column of rankwise_slots.object that has the nodes: 0 ... nodes - 1, each in one place of the tree */
  int32_t nodes;
  /* All but a matrix: what each hop costs. */
  double per_byte;
  double per_message;
  const int32_t *router; /* [nodes]; NULL: node n is at router n of a torus, at n / at_router of a dragonfly; routes
                            need it */
  /* Torus: routers in row-major order; hops are links between routers, on the shortest way. */
  int32_t axes;
  const int32_t *length;  /* [axes] */
  const uint8_t *is_ring; /* [axes]: the last router is linked with the first; NULL: in all axes */
  /* Dragonfly (Kim, Dally, Scott and Abts 2008): all routers of a group are linked, and each two groups by one link:
   * link k of group g leads to group k, or k + 1 from g on, and is at router k / ceil((groups - 1) / routers). Hops are
   * routers on the way, which takes one link between groups: 1 to 4. */
  int32_t groups;
  int32_t routers;   /* of each group; with routes: in all */
  int32_t at_router; /* nodes at each router */
  /* Matrix: what a byte and a message cost; the mean of both directions counts. */
  const double *byte_between;    /* [nodes][nodes] */
  const double *message_between; /* likewise; NULL if messages cost nothing */
  /* Routes: forwarding tables. A message from a node follows one of them from router to router until it is at that of
   * the other node; hops are the links on the way, in the mean over the tables, by their shares. */
  int32_t links;
  const int32_t *link_end; /* [links][2]: the two routers of a link, which is used in both directions */
  const double *link_byte; /* [links]: what a byte costs on a link, for the bottleneck alone; NULL: as much as a hop */
  int32_t tables;
  const double *share; /* [tables]: of all messages, that follow a table; their sum is 1; NULL: all equal */
  const int32_t *next; /* [tables][routers][nodes]: link from a router towards a node; -1: none, as at its router and
                          where no message comes by */
};

/* The machine. Objects of one level are numbered in any way; slots have an object in common if they have its number
 * and all numbers before it. */
struct rankwise_slots {
  int32_t slots;
  int32_t depth;             /* levels of objects */
  const int32_t *object;     /* [slots][depth], outermost first */
  const double *per_byte;    /* [depth + 1]: cost of a byte between slots that have so many objects in common */
  const double *per_message; /* [depth + 1]; NULL if messages cost nothing */
  const struct rankwise_network *network; /* NULL: the tree tells all */
  /* [slots][depth]: what a byte costs on the link from the object of this level to the one around it, for the
   * bottleneck alone; 0: no such link, or one that does not matter; NULL: all 0 if there is a network, else all 1. */
  const double *per_link_byte;
};

struct rankwise_wishes {
  int32_t effort;         /* 0: quick, one attempt; 1: usual; 2: thorough; 3: several seeds, too */
  int32_t threads;        /* at most; 0: as many as there are processors */
  uint64_t seed;          /* of all that is random */
  const int32_t *present; /* [ranks]: slots that the ranks are in now; NULL if there is no such placement. Of all
                           * placements that are as good because parts of the machine or groups of ranks are alike, the
                           * result is the one with the fewest moves from it. */
  int32_t node;           /* with `present`: column of rankwise_slots.object that has the nodes, among which groups of
                           * ranks that send nothing to others are exchanged; with a network it is the network's */
  int32_t objective;      /* RANKWISE_SUM or RANKWISE_BOTTLENECK */
  double *progress;       /* written all the time: how much is done, 0 to 1, about; NULL: nobody wants to know */
};

/* The cost of a placement is the sum over all pairs of ranks of bytes x per_byte + messages x per_message, and
 * of what the network adds; with RANKWISE_BOTTLENECK,
 * the load of the most loaded link. */
struct rankwise_costs {
  double found;
  double natural;
  double present; /* NaN without a present placement */
};

enum {
  RANKWISE_PLACED = 0,
  RANKWISE_BAD_TRAFFIC,    /* a rank out of range, or a number that is negative, infinite or NaN */
  RANKWISE_BAD_SLOTS,      /* no slots or levels, no such level, a cost that is negative, infinite or NaN */
  RANKWISE_BAD_NETWORK,    /* of no known kind, nodes out of range, split or out of reach, or a cost as above */
  RANKWISE_BAD_PRESENT,    /* a slot out of range or taken twice */
  RANKWISE_TOO_MANY_RANKS, /* more than slots */
  RANKWISE_NO_MEMORY,
  RANKWISE_BAD_OBJECTIVE, /* none of those above */
  RANKWISE_BAD_PAIRS      /* a row or column out of range, or a weight that is negative, infinite or NaN */
};

/* Fills `slot` [ranks] and `costs`; on an error neither. Any number of threads may call it at the same time. */
int rankwise_place(const struct rankwise_traffic *traffic, const struct rankwise_slots *slots,
                   const struct rankwise_wishes *wishes, int32_t *slot, struct rankwise_costs *costs);

/* A link, and the load on it. */
struct rankwise_link {
  double load;
  int32_t level; /* of the object whose link to the one around it this is; -1: a link of the network, or none */
  int32_t one;   /* a slot of the object; or the router that it leads from, -1 if there is no link at all */
  int32_t other; /* the router that it leads to */
};

/* Weighs any placement: the sum of all costs, and the most loaded link. */
int rankwise_weigh(const struct rankwise_traffic *traffic, const struct rankwise_slots *slots, const int32_t *slot,
                   double *sum, struct rankwise_link *most_loaded);

/* The assignment problem: pairs of a row and a column, of which some are chosen, no two with the same row or column. */
struct rankwise_pairs {
  int32_t rows;
  int32_t columns;
  int64_t pairs; /* in any order, no two of the same row and column */
  const int32_t *row;
  const int32_t *column;
  const double *weight; /* not negative, finite */
};

/* Fills `chosen` [pairs] with 1 for the pairs whose weights add up to the most, and 0; on an error nothing. */
int rankwise_choose_pairs(const struct rankwise_pairs *pairs, uint8_t *chosen);

/* Exchanges equal parts of the machine in a placement, with all ranks in them, so that the most of them are where they
 * are at present; costs that depend on levels alone stay as they are. The objects of the first `fixed` columns are not
 * exchanged. Takes and fills slot [ranks]; of the slots, their objects count, and costs are not looked at. */
int rankwise_minimal_moves(const struct rankwise_slots *slots, int32_t fixed, int32_t ranks, const int32_t *present,
                           int32_t *slot);

/* What an error means, in words. */
const char *rankwise_placement_error(int error);

#ifdef __cplusplus
}
#endif

#endif
