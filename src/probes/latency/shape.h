// How the ranks of a job are distributed over nodes.
#pragma once

#include <stdbool.h>

typedef struct {
  int ranks;
  int nodes;
  int largest;  // ranks of the node that has most
  bool equal;   // every node has as many
  int *node;    // of each rank
  int *slot;    // of each rank: its place among its node's
  int *order;   // ranks, node by node
  int *start;   // of each node: where its ranks begin in `order`; one more at the end
} Shape;

// `node` is the node of each rank: numbers from 0 without gaps. False if memory is exhausted.
bool shape_make(Shape *shape, int ranks, const int *node);
void shape_free(Shape *shape);

int shape_ranks_of(const Shape *shape, int node);

// The rank in a slot of a node; -1 if the node has no such slot, or there is no such node.
int shape_rank(const Shape *shape, int node, int slot);
