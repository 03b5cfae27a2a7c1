// Measures the pairs of a schedule, step by step.
#pragma once

#include "hosts.h"
#include "options.h"
#include "pingpong.h"
#include "progress.h"
#include "schedule.h"

typedef struct {
  Pingpong pingpong;
  Schedule schedule;
  Progress progress;
  Records pairs;  // that this rank has led
  Records alone;  // led by this rank, measured once more with nothing else going on
  int64_t steps_done;
  bool interrupted;
  bool waiting_naps;  // in the schedule's steps; always when pairs are measured alone
} Measurement;

// False if memory is exhausted.
bool measurement_make(Measurement *measurement, const Options *options, const Shape *shape, const Hosts *hosts);
void measurement_free(Measurement *measurement);

// Collective: the schedule, then suspicious pairs alone; until a stop is requested.
void measurement_run(Measurement *measurement);
