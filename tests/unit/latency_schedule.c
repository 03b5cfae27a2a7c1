// Whole tables of the probe's partners, for test_latency_schedule.py.
#include "schedule.h"
#include "tournament.h"

int rounds(int ranks, const int *node) {
  Shape shape;
  shape_make(&shape, ranks, node);
  int found = tournament_rounds(&shape);
  shape_free(&shape);
  return found;
}

void rounds_table(int ranks, const int *node, int *partners) {
  Shape shape;
  shape_make(&shape, ranks, node);
  for (int round = 0; round < tournament_rounds(&shape); round++)
    for (int rank = 0; rank < ranks; rank++) *partners++ = tournament_partner(&shape, round, rank);
  shape_free(&shape);
}

int64_t steps(int ranks, const int *node, Mode mode) {
  Shape shape;
  shape_make(&shape, ranks, node);
  Schedule schedule = schedule_make(&shape, mode, 0);
  shape_free(&shape);
  return schedule_steps(&schedule);
}

void steps_table(int ranks, const int *node, Mode mode, uint64_t seed, int *partners) {
  Shape shape;
  shape_make(&shape, ranks, node);
  Schedule schedule = schedule_make(&shape, mode, seed);
  for (int64_t step = 0; step < schedule_steps(&schedule); step++)
    for (int rank = 0; rank < ranks; rank++) *partners++ = schedule_partner(&schedule, step, rank);
  shape_free(&shape);
}
