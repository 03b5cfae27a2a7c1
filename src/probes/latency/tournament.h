// All pairs of ranks in the fewest possible rounds: each rank has at most one partner in a round.
//
// Two levels: as far as the nodes' sizes allow it, a round is purely inside nodes or purely between them, so that all
// pairs of a round meet the same load. docs/explanation/latency.md explains how and why it works.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shape.h"

// A tournament of players by the circle method: its rounds, and a player's partner in one of them (-1: a bye).
int circle_rounds(int players);
int circle_partner(int players, int round, int player);

// Rounds of the tournament of all ranks: one less than ranks; as many as ranks if they are odd.
int tournament_rounds(const Shape *shape);

// The first rounds are inside nodes. In some shapes they hold pairs between nodes, too: then they are mixed.
int tournament_rounds_inside(const Shape *shape);
bool tournament_is_mixed(const Shape *shape);

// A rank's partner in a round; -1 if it has none.
int tournament_partner(const Shape *shape, int round, int rank);
