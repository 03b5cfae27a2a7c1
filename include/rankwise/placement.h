/* Assigns each rank a slot of the machine, so that ranks that communicate much are near each other.
 *
 * The machine is a tree: slots belong to objects (node, package, ...), and a message costs more if its ends have fewer
 * objects in common. The network between nodes may also be a torus, a dragonfly, forwarding tables, or a matrix of
 * measured costs. The result never costs more than the natural order (rank r in slot r) or the present placement. It is
 * the same for the same input and seed, and puts no two ranks into one slot.
 */
#ifndef RANKWISE_PLACEMENT_H
#define RANKWISE_PLACEMENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The traffic between ranks: `entries` triples in any order. Triples of one pair add up, in both directions. Messages
 * from a rank to itself cost nothing. */
struct rankwise_traffic {
  int32_t ranks;
  int64_t entries;
  const int32_t *source;
  const int32_t *destination;
  const double *bytes;    /* finite, not negative */
  const double *messages; /* finite, not negative; NULL if messages cost nothing */
};

/* What a placement minimises. */
enum {
  RANKWISE_SUM = 0,   /* the cost of all messages together */
  RANKWISE_BOTTLENECK /* the load of the most loaded link: bytes x cost per byte on it; if that is equal, the sum. The
                       * links of objects count both directions together. Those in a torus, in a dragonfly and in routes
                       * count each direction separately. In a torus, messages take the first axis first, and the
                       * forward direction if both are equally long. */
};

enum { RANKWISE_TORUS = 1, RANKWISE_DRAGONFLY, RANKWISE_MATRIX, RANKWISE_ROUTES };

/* The network between nodes, unless it is a tree. A message between slots of different nodes costs the first price of
 * the slots plus the network's cost for the two nodes; objects around nodes then have no effect. Both directions of a
 * pair are added, so they cost the same. */
struct rankwise_network {
  int32_t kind;
  int32_t level; /* column of rankwise_slots.object with the nodes: 0 ... nodes - 1, each in one place of the tree */
  int32_t nodes;
  /* All but a matrix: the cost of each hop. */
  double per_byte;
  double per_message;
  const int32_t *router; /* [nodes]; NULL: node n is at router n of a torus, at n / at_router of a dragonfly; required
                          * for routes */
  /* Torus: routers in row-major order. Hops are links between routers on the shortest path. */
  int32_t axes;
  const int32_t *length;  /* [axes] */
  const uint8_t *is_ring; /* [axes]: the last router is linked with the first; NULL: in all axes */
  /* Dragonfly (Kim, Dally, Scott and Abts 2008): all routers of a group are linked, and each pair of groups by one
   * link: link k of group g leads to group k, or to k + 1 if k >= g, and is at router k / ceil((groups - 1) / routers).
   * Hops are the routers on the path, which takes one link between groups: 1 to 4. */
  int32_t groups;
  int32_t routers;   /* in each group; with routes: in the whole network */
  int32_t at_router; /* nodes at each router */
  /* Matrix: the costs of a byte and of a message. The mean of both directions counts. */
  const double *byte_between;    /* [nodes][nodes] */
  const double *message_between; /* [nodes][nodes]; NULL if messages cost nothing */
  /* Routes: forwarding tables. A message follows one table from router to router until it reaches the router of the
   * destination node. Hops are the links on the path, averaged over the tables with their shares as weights. */
  int32_t links;
  const int32_t *link_end; /* [links][2]: the two routers of a link, which is used in both directions */
  const double *link_byte; /* [links]: cost of a byte on a link, used only for the bottleneck; NULL: as a hop */
  int32_t tables;
  const double *share; /* [tables]: share of all messages that follow a table; the sum is 1; NULL: all equal */
  const int32_t *next; /* [tables][routers][nodes]: link from a router towards a node; -1: none, because the node is at
                        * this router or no message takes this way */
};

/* The machine. The numbers of a level's objects are arbitrary. Slots share an object if its number and all numbers
 * before it are the same. */
struct rankwise_slots {
  int32_t slots;
  int32_t depth;             /* levels of objects */
  const int32_t *object;     /* [slots][depth], outermost first */
  const double *per_byte;    /* [depth + 1]: cost of a byte between slots, by the number of common objects */
  const double *per_message; /* [depth + 1]; NULL if messages cost nothing */
  const struct rankwise_network *network; /* NULL: the tree is the whole machine */
  /* [slots][depth]: cost of a byte on the link from the object of this level to the enclosing object, used only for the
   * bottleneck. 0: no such link, or one that does not matter. NULL: all 0 if there is a network, else all 1. */
  const double *per_link_byte;
};

struct rankwise_wishes {
  int32_t effort;         /* 0: quick, one attempt; 1: the default; 2: thorough; 3: also several seeds */
  int32_t threads;        /* maximum; 0: the number of processors */
  uint64_t seed;          /* of the random numbers */
  const int32_t *present; /* [ranks]: present slots of the ranks; NULL if there is no present placement. If several
                           * placements are equally good, because parts of the machine or groups of ranks are
                           * equivalent, the result is the placement with the fewest moves. */
  int32_t node;           /* with `present`: column of rankwise_slots.object with the nodes, among which groups of ranks
                           * that send nothing to other groups are exchanged; with a network, the network's `level` */
  int32_t objective;      /* RANKWISE_SUM or RANKWISE_BOTTLENECK */
  double *progress;       /* updated continuously: the fraction done, about 0 to 1; NULL: not wanted */
};

/* The cost of a placement is the sum over all pairs of ranks of bytes x per_byte + messages x per_message, plus the
 * cost of the network. With RANKWISE_BOTTLENECK it is the load of the most loaded link. */
struct rankwise_costs {
  double found;
  double natural;
  double present; /* NaN without a present placement */
};

enum {
  RANKWISE_PLACED = 0,
  RANKWISE_BAD_TRAFFIC,    /* a rank out of range, or a number that is negative, infinite or NaN */
  RANKWISE_BAD_SLOTS,      /* no slots or levels, no such level, a cost that is negative, infinite or NaN */
  RANKWISE_BAD_NETWORK,    /* unknown kind, nodes out of range, split or unreachable, or a cost as above */
  RANKWISE_BAD_PRESENT,    /* a slot out of range or used twice */
  RANKWISE_TOO_MANY_RANKS, /* more ranks than slots */
  RANKWISE_NO_MEMORY,
  RANKWISE_BAD_OBJECTIVE, /* none of the objectives above, or a share that is negative, infinite or NaN */
  RANKWISE_BAD_PAIRS      /* a row or column out of range, or a weight that is negative, infinite or NaN */
};

/* Fills `slot` [ranks] and `costs`; on an error, neither. Thread-safe. */
int rankwise_place(const struct rankwise_traffic *traffic, const struct rankwise_slots *slots,
                   const struct rankwise_wishes *wishes, int32_t *slot, struct rankwise_costs *costs);

/* Minimises both in one search: first the sum; then the load of the most loaded link falls as far as the sum exceeds
 * the lowest one found by no more than the share `extra`, such as 0.05. If loads are equal, the sum decides. So neither
 * the natural order nor the present placement is better in one and as good in the other. `wishes->objective` has no
 * effect. Fills `slot` [ranks], and the sums and loads of the three placements; on an error, nothing. Thread-safe. */
int rankwise_place_both(const struct rankwise_traffic *traffic, const struct rankwise_slots *slots,
                        const struct rankwise_wishes *wishes, double extra, int32_t *slot, struct rankwise_costs *sums,
                        struct rankwise_costs *loads);

/* A link and its load. */
struct rankwise_link {
  double load;
  int32_t level; /* of the object whose link to the enclosing object this is; -1: a link of the network, or none */
  int32_t one;   /* a slot of the object; or the router where the link starts, -1 if there is no link */
  int32_t other; /* the router where the link ends */
};

/* Evaluates any placement: the sum of all costs, and the most loaded link. */
int rankwise_weigh(const struct rankwise_traffic *traffic, const struct rankwise_slots *slots, const int32_t *slot,
                   double *sum, struct rankwise_link *most_loaded);

/* The assignment problem: choose pairs of a row and a column, no two with the same row or column. */
struct rankwise_pairs {
  int32_t rows;
  int32_t columns;
  int64_t pairs; /* in any order, no two with the same row and column */
  const int32_t *row;
  const int32_t *column;
  const double *weight; /* finite, not negative */
};

/* Fills `chosen` [pairs] with 1 for the pairs with the largest sum of weights, else 0; on an error, nothing. */
int rankwise_choose_pairs(const struct rankwise_pairs *pairs, uint8_t *chosen);

/* Exchanges equal parts of the machine in a placement, with all their ranks, so that as many ranks as possible stay
 * where they are at present. Costs that depend only on levels do not change. The objects of the first `fixed` columns
 * are not exchanged. Reads and fills slot [ranks]; uses the objects of the slots, but not their costs. */
int rankwise_minimal_moves(const struct rankwise_slots *slots, int32_t fixed, int32_t ranks, const int32_t *present,
                           int32_t *slot);

/* The description of an error. */
const char *rankwise_placement_error(int error);

#ifdef __cplusplus
}
#endif

#endif
