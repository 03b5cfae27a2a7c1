/* Where ranks go: a slot of the machine for each rank, so that those that communicate much are near each other.
 *
 * The machine is a tree: slots belong to objects (node, package, ...), and a message costs the more the fewer objects
 * its ends have in common. The result is never dearer than the natural order (rank r in slot r) or the present
 * placement, is the same for the same input and seed, and puts no two ranks into one slot.
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

/* The machine. Objects of one level are numbered in any way; slots have an object in common if they have its number
 * and all numbers before it. */
struct rankwise_slots {
  int32_t slots;
  int32_t depth;             /* levels of objects */
  const int32_t *object;     /* [slots][depth], outermost first */
  const double *per_byte;    /* [depth + 1]: cost of a byte between slots that have so many objects in common */
  const double *per_message; /* [depth + 1]; NULL if messages cost nothing */
};

struct rankwise_wishes {
  int32_t effort;         /* 1: quick, 2: thorough, 3: several seeds, too */
  int32_t threads;        /* at most; 0: as many as there are processors */
  uint64_t seed;          /* of all that is random */
  const int32_t *present; /* [ranks]: slots that the ranks are in now; NULL if there is no such placement */
};

/* The cost of a placement is the sum over all pairs of ranks of bytes x per_byte + messages x per_message. */
struct rankwise_costs {
  double found;
  double natural;
  double present; /* NaN without a present placement */
};

enum {
  RANKWISE_PLACED = 0,
  RANKWISE_BAD_TRAFFIC,    /* a rank out of range, or a number that is negative, infinite or NaN */
  RANKWISE_BAD_SLOTS,      /* no slots or levels, a cost that is negative, infinite or NaN */
  RANKWISE_BAD_PRESENT,    /* a slot out of range or taken twice */
  RANKWISE_TOO_MANY_RANKS, /* more than slots */
  RANKWISE_NO_MEMORY
};

/* Fills `slot` [ranks] and `costs`; on an error neither. Any number of threads may call it at the same time. */
int rankwise_place(const struct rankwise_traffic *traffic, const struct rankwise_slots *slots,
                   const struct rankwise_wishes *wishes, int32_t *slot, struct rankwise_costs *costs);

/* What an error means, in words. */
const char *rankwise_placement_error(int error);

#ifdef __cplusplus
}
#endif

#endif
