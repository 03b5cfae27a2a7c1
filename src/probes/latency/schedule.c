#include "schedule.h"

#include "order.h"
#include "tournament.h"

enum { SAMPLE_STEPS = 64, SAMPLE_STEPS_INSIDE = 16 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t pairs_of(int64_t count) { return count * (count - 1) / 2; }

// Pairs of 0 ... count - 1 that come before the first of (low, ...).
static int64_t pairs_before(int64_t low, int64_t count) { return low * (2 * count - low - 1) / 2; }

// The partner of `one` if it is in the pair with this number: (0,1) (0,2) ... (1,2) ...; else -1.
static int partner_in_numbered(int64_t number, int count, int one) {
  int low = 0, above = count;
  while (above - low > 1) {
    int middle = low + (above - low) / 2;
    if (pairs_before(middle, count) <= number)
      low = middle;
    else
      above = middle;
  }
  int high = (int)(number - pairs_before(low, count)) + low + 1;
  return one == low ? high : one == high ? low : -1;
}

static int quiet_inside(const Shape *shape, int64_t step, int rank) {
  int slot = partner_in_numbered(step, shape->largest, shape->slot[rank]);
  return slot < 0 ? -1 : shape_rank(shape, shape->node[rank], slot);
}

static int quiet_between(const Shape *shape, int64_t step, int rank) {
  int64_t slots = shape->largest, node = shape->node[rank];
  int other = circle_partner(shape->nodes, (int)(step / (slots * slots)), (int)node);
  int of_lower = (int)(step % (slots * slots) / slots), of_higher = (int)(step % slots);
  if (other < 0 || shape->slot[rank] != (node < other ? of_lower : of_higher)) return -1;
  return shape_rank(shape, other, node < other ? of_higher : of_lower);
}

// A mixed round of the tournament makes two steps: its pairs inside nodes, then those between.
static int loaded(const Schedule *schedule, int64_t step, int rank) {
  const Shape *shape = schedule->shape;
  bool is_inside = step < schedule->inside;
  if (!tournament_is_mixed(shape)) return tournament_partner(shape, (int)step, rank);
  int round = (int)(is_inside ? step : step - schedule->inside);
  int partner = tournament_partner(shape, round, rank);
  return partner >= 0 && (shape->node[rank] == shape->node[partner]) == is_inside ? partner : -1;
}

static int leaders(const Shape *shape, int64_t step, int rank) {
  if (shape->slot[rank] != 0) return -1;
  return shape_rank(shape, circle_partner(shape->nodes, (int)step, shape->node[rank]), 0);
}

Schedule schedule_make(const Shape *shape, Mode mode, uint64_t seed) {
  Schedule schedule = {.shape = shape, .mode = mode, .seed = seed};
  int64_t slots = shape->largest;
  switch (mode) {
    case QUIET:
      schedule.inside = pairs_of(slots);
      schedule.between = shape->nodes > 1 ? circle_rounds(shape->nodes) * slots * slots : 0;
      break;
    case LOADED:
    case SAMPLE:
      schedule.inside = tournament_rounds_inside(shape);
      schedule.between = tournament_rounds(shape) - (tournament_is_mixed(shape) ? 0 : schedule.inside);
      break;
    case LEADERS:
      schedule.between = shape->nodes > 1 ? circle_rounds(shape->nodes) : 0;
      break;
    case SERIAL:
      schedule.between = pairs_of(shape->ranks);
      break;
  }
  schedule.taken_inside = schedule.inside;
  schedule.taken_between = schedule.between;
  if (mode == SAMPLE) {
    schedule.taken_inside = least(schedule.inside, most(SAMPLE_STEPS_INSIDE, SAMPLE_STEPS - schedule.between));
    schedule.taken_between = least(schedule.between, SAMPLE_STEPS - schedule.taken_inside);
  }
  return schedule;
}

int64_t schedule_steps(const Schedule *schedule) { return schedule->taken_inside + schedule->taken_between; }

static int64_t in_random_order(const Schedule *schedule, int64_t step) {
  step = shuffled(step, schedule_steps(schedule), schedule->seed);
  if (schedule->mode != SAMPLE) return step;
  if (step < schedule->taken_inside) return shuffled(step, schedule->inside, schedule->seed + 1);
  return schedule->inside + shuffled(step - schedule->taken_inside, schedule->between, schedule->seed + 2);
}

int schedule_partner(const Schedule *schedule, int64_t step, int rank) {
  const Shape *shape = schedule->shape;
  if (schedule->mode == SERIAL) return partner_in_numbered(step, shape->ranks, rank);
  step = in_random_order(schedule, step);
  switch (schedule->mode) {
    case QUIET:
      return step < schedule->inside ? quiet_inside(shape, step, rank)
                                     : quiet_between(shape, step - schedule->inside, rank);
    case LEADERS:
      return leaders(shape, step, rank);
    default:
      return loaded(schedule, step, rank);
  }
}
