#include "measurement.h"

#include <mpi.h>

#include "../common/waiting.h"
#include "suspects.h"

// Busy waiting would heat up and slow down the few ranks that are measured, or share processors with them.
static bool is_nap_needed(Mode mode, bool is_crowded) {
  bool all_measure = mode == LOADED || mode == SAMPLE;
  return !all_measure || is_crowded;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

bool measurement_make(Measurement *measurement, const Options *options, const Shape *shape, const Hosts *hosts) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool is_crowded = hosts->ranks_here > hosts->processors_here;
  *measurement = (Measurement){
      .schedule = schedule_make(shape, options->mode, options->seed),
      .waiting_naps = is_nap_needed(options->mode, is_crowded),
  };
  int64_t led = least(shape->ranks - 1 - rank, schedule_steps(&measurement->schedule));
  return pingpong_make(&measurement->pingpong, options, is_crowded) &&
         records_make(&measurement->pairs, options->count, led) &&
         records_make(&measurement->alone, options->count, least(led, MOST_SUSPECTS));
}

void measurement_free(Measurement *measurement) {
  pingpong_free(&measurement->pingpong);
  records_free(&measurement->pairs);
  records_free(&measurement->alone);
}

static void measure(const Pingpong *pingpong, int rank, int partner, Records *records) {
  if (partner < 0) return;
  if (partner < rank)
    pingpong_follow(pingpong, partner);
  else
    pingpong_lead(pingpong, partner, records_add(records, rank, partner));
}

// Between two steps: waits for all. False if a stop was requested.
static bool go_on(Measurement *measurement, int rank, int64_t done, int64_t total, bool naps) {
  bool stop = rank == 0 && progress_tell(&measurement->progress, done, total);
  measurement->interrupted = wait_for_everybody(stop, naps);
  return !measurement->interrupted;
}

static void run_schedule(Measurement *measurement, int rank) {
  const Schedule *schedule = &measurement->schedule;
  int64_t steps = schedule_steps(schedule), *done = &measurement->steps_done;
  while (go_on(measurement, rank, *done, steps, measurement->waiting_naps) && *done < steps)
    measure(&measurement->pingpong, rank, schedule_partner(schedule, (*done)++, rank), &measurement->pairs);
}

static void run_alone(Measurement *measurement, int rank) {
  Suspect suspects[MOST_SUSPECTS];
  int count = suspects_find(&measurement->pairs, measurement->schedule.shape, suspects);
  int64_t before = measurement->steps_done;
  for (int i = 0; go_on(measurement, rank, before + i, before + count, true) && i < count; i++) {
    int first = suspects[i].first, second = suspects[i].second;
    measure(&measurement->pingpong, rank, rank == first ? second : rank == second ? first : -1, &measurement->alone);
  }
}

void measurement_run(Measurement *measurement) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  run_schedule(measurement, rank);
  if (!measurement->interrupted) run_alone(measurement, rank);
}
