#include "shape.h"

#include <stdlib.h>

bool shape_make(Shape *shape, int ranks, const int *node) {
  int nodes = 0;
  for (int rank = 0; rank < ranks; rank++)
    if (node[rank] >= nodes) nodes = node[rank] + 1;
  size_t count = (size_t)ranks;
  *shape = (Shape){.ranks = ranks, .nodes = nodes, .equal = true};
  shape->node = malloc(count * sizeof(int));
  shape->slot = malloc(count * sizeof(int));
  shape->order = malloc(count * sizeof(int));
  shape->start = calloc((size_t)nodes + 1, sizeof(int));
  if (!shape->node || !shape->slot || !shape->order || !shape->start) {
    shape_free(shape);
    return false;
  }

  for (int rank = 0; rank < ranks; rank++) {
    shape->node[rank] = node[rank];
    shape->slot[rank] = shape->start[node[rank] + 1]++;
  }
  for (int each = 0; each < nodes; each++) {
    int here = shape->start[each + 1];
    if (here > shape->largest) shape->largest = here;
    if (here != shape->start[1]) shape->equal = false;
  }
  for (int each = 1; each < nodes; each++) shape->start[each + 1] += shape->start[each];
  for (int rank = 0; rank < ranks; rank++) shape->order[shape->start[node[rank]] + shape->slot[rank]] = rank;
  return true;
}

void shape_free(Shape *shape) {
  free(shape->node);
  free(shape->slot);
  free(shape->order);
  free(shape->start);
  *shape = (Shape){0};
}

int shape_ranks_of(const Shape *shape, int node) { return shape->start[node + 1] - shape->start[node]; }

int shape_rank(const Shape *shape, int node, int slot) {
  if (node < 0 || slot < 0 || slot >= shape_ranks_of(shape, node)) return -1;
  return shape->order[shape->start[node] + slot];
}
