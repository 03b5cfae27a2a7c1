#include "tournament.h"

int circle_rounds(int players) { return players % 2 ? players : players - 1; }

// All players but the last sit in a circle of m, m odd. In round r, players whose places add up to r are partners. A
// player paired with itself gets the last player, or has a bye if there is no last player.
int circle_partner(int players, int round, int player) {
  int circle = circle_rounds(players);
  int64_t alone = (int64_t)round * ((circle + 1) / 2) % circle;  // twice this place is `round`
  if (player == circle) return (int)alone;
  if (player == alone) return players > circle ? circle : -1;
  return (round - player + circle) % circle;
}

static bool is_odd(int number) { return number % 2 != 0; }

int tournament_rounds(const Shape *shape) { return circle_rounds(shape->ranks); }

int tournament_rounds_inside(const Shape *shape) {
  if (!shape->equal) return tournament_rounds(shape);
  if (shape->largest == 1 || (is_odd(shape->largest) && is_odd(shape->nodes))) return 0;
  return circle_rounds(shape->largest);
}

bool tournament_is_mixed(const Shape *shape) {
  return !shape->equal || (shape->largest > 1 && is_odd(shape->largest) && !is_odd(shape->nodes));
}

// Of two groups of `size`, the lower one's place i meets the other's i + shift.
static int shifted(int place, int shift, int size, bool is_lower) {
  return is_lower ? (place + shift) % size : (place - shift + size) % size;
}

// Nodes of an even number of ranks: the players of the outer tournament are half-nodes. They are named so that the two
// of a node are partners in round 0, which is left to the tournament inside of each node.
static int between_halves(const Shape *shape, int round, int node, int slot) {
  int half = shape->largest / 2, last = 2 * shape->nodes - 1;
  int name = slot < half ? node : node == 0 ? last : last - node;
  int other = circle_partner(last + 1, 1 + round / half, name);
  int place = shifted(slot % half, round % half, half, name < other);
  return other < shape->nodes ? shape_rank(shape, other, place)
                              : shape_rank(shape, other == last ? 0 : last - other, half + place);
}

// Nodes are the players. A node with a bye plays internally.
static int between_nodes(const Shape *shape, int round, int node, int slot) {
  int size = shape->largest;
  int other = circle_partner(shape->nodes, round / size, node);
  if (other < 0) return shape_rank(shape, node, circle_partner(size, round % size, slot));
  return shape_rank(shape, other, shifted(slot, round % size, size, node < other));
}

// An odd number of ranks plays inside each of an even number of nodes; the ranks with a bye meet between nodes.
static int inside_with_guest(const Shape *shape, int round, int node, int slot) {
  int place = circle_partner(shape->largest, round, slot);
  return place >= 0 ? shape_rank(shape, node, place) : shape_rank(shape, circle_partner(shape->nodes, 0, node), slot);
}

int tournament_partner(const Shape *shape, int round, int rank) {
  int node = shape->node[rank], slot = shape->slot[rank], inside = tournament_rounds_inside(shape);
  if (!shape->equal) {
    int place = circle_partner(shape->ranks, round, shape->start[node] + slot);
    return place < 0 ? -1 : shape->order[place];
  }
  if (!is_odd(shape->largest))
    return round < inside ? shape_rank(shape, node, circle_partner(shape->largest, round, slot))
                          : between_halves(shape, round - inside, node, slot);
  if (round < inside) return inside_with_guest(shape, round, node, slot);
  // With guests, the first round between nodes has been played: it consists of the guests' pairs.
  return between_nodes(shape, inside > 0 ? round - inside + 1 : round, node, slot);
}
