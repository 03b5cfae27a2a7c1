#define _GNU_SOURCE
#include "tryout.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/clock.h"
#include "../common/failure.h"
#include "../common/statistics.h"
#include "../common/waiting.h"
#include "../common/whole_file.h"
#include "arms.h"
#include "side.h"

typedef struct {
  const Batch *batch;
  const char *directory;
  int number, rank;
  Side *sides;
  bool idles;  // takes part in no side
} Tryout;

static const Operands *operands_of(const Tryout *tryout, const Side *side, int arm) {
  return tryout->batch->arms[arm].is_larger ? &side->larger : &side->operands;
}

static int call(const Tryout *tryout, const Side *side, int arm) {
  const Mockup *mockup = tryout->batch->arms[arm].mockup;
  const Operands *operands = operands_of(tryout, side, arm);
  MPI_Comm comm = side->of_arms[arm];
  return mockup ? mockup->call(operands, comm) : tryout->batch->collective->call(operands, comm);
}

// The current activity, to find out later which arm has ended or held up the job.
static void tell(const Tryout *tryout, const char *what, int which) {
  if (tryout->rank != 0) return;
  char line[64];
  int length = snprintf(line, sizeof line, "%d %s %d\n", tryout->number, what, which);
  whole_file_write(tryout->directory, "now", line, (size_t)length);
}

// True on all ranks if any of them has a line; all then have the line of the lowest such rank.
static bool any_complains(bool idles, char *line) {
  wait_for_everybody(false, idles);
  int rank, ranks, first;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int mine = line[0] ? rank : ranks;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == ranks) return false;
  MPI_Bcast(line, LINE, MPI_CHAR, first, MPI_COMM_WORLD);
  return true;
}

static void make_sides(Tryout *tryout, char *line) {
  const Batch *batch = tryout->batch;
  tryout->idles = true;
  for (int i = 0; i < batch->groupings_count && !line[0]; i++) {
    Side *side = &tryout->sides[i];
    side_make(side, batch, &batch->groupings[i], line);
    if (any_complains(false, line)) return;
    if (side->takes_part) tryout->idles = false;
  }
}

// The library's text for an error: the last line, because MPICH's first line only says that others follow.
static void explain(int code, char *line) {
  char said[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, said, &length);
  const char *last = said;
  char *rest;
  for (char *each = strtok_r(said, "\r\n", &rest); each; each = strtok_r(NULL, "\r\n", &rest)) last = each;
  snprintf(line, LINE, "it fails: %.450s", last);
}

// The first call, whose result is checked.
static void call_first(const Tryout *tryout, const Side *side, int arm, char *line) {
  const Batch *batch = tryout->batch;
  const Operands *operands = operands_of(tryout, side, arm);
  operands_reset(operands, batch->collective);
  if (batch->chosen_at_calls) arm_set(&batch->arms[arm]);
  int code = call(tryout, side, arm);
  if (batch->chosen_at_calls) arm_reset(&batch->arms[arm]);
  if (code != MPI_SUCCESS) {
    explain(code, line);
  } else if (!operands_hold_result(operands, batch->collective)) {
    snprintf(line, LINE, "it computes something else than it should");
  }
}

static void warm_up(const Tryout *tryout, const Side *side, int arm) {
  const Batch *batch = tryout->batch;
  if (batch->chosen_at_calls) arm_set(&batch->arms[arm]);
  for (int more = 1; more < batch->warmups; more++) call(tryout, side, arm);
  if (batch->chosen_at_calls) arm_reset(&batch->arms[arm]);
}

// Whether an arm can be used at all and computes the correct result. If so, warms it up.
static bool is_usable(const Tryout *tryout, int number, char *line) {
  const Batch *batch = tryout->batch;
  const Arm *arm = &batch->arms[number];
  tell(tryout, "checks", number);
  if (arm->missing) {
    snprintf(line, LINE, "the library has no variable %.200s", arm->missing);
  } else if (!arm_set(arm)) {
    snprintf(line, LINE, "the library does not take its value");
  } else {
    arm_reset(arm);
  }
  if (any_complains(tryout->idles, line)) return false;
  for (int i = 0; i < batch->groupings_count; i++) {
    Side *side = &tryout->sides[i];
    if (side->takes_part) {
      side_choose(side, batch, number);
      call_first(tryout, side, number, line);
    }
    // Checked before anything else is called: a rank with an error must not leave the others waiting.
    if (any_complains(!side->takes_part, line)) return false;
    if (side->takes_part) warm_up(tryout, side, number);
  }
  return true;
}

// Keeps the processor busy, like a program that computes.
static void come_late(int64_t ns) {
  for (double end = now_us() + (double)ns * 1e-3; now_us() < end;) continue;
}

// Seconds of a call, on the first rank of all that take part.
static double visit(const Tryout *tryout, const Side *side, int number, double *mine, double *longest) {
  const Batch *batch = tryout->batch;
  const Arm *arm = &batch->arms[number];
  for (int i = 0; i < batch->repetitions; i++) {
    MPI_Barrier(side->together);
    // Only now, so that the barrier is the same one for all arms. All ranks do so between the same two calls.
    if (batch->chosen_at_calls) arm_set(arm);
    double start = now_us();
    if (side->late_ns > 0) come_late(side->late_ns);
    call(tryout, side, number);
    mine[i] = now_us() - start;
    if (batch->chosen_at_calls) arm_reset(arm);
  }
  MPI_Reduce(mine, longest, batch->repetitions, MPI_DOUBLE, MPI_MAX, 0, side->together);
  int rank;
  MPI_Comm_rank(side->together, &rank);
  return rank == 0 ? statistics_of(longest, batch->repetitions).median * 1e-6 : 0;
}

static int count_visits(const Batch *batch) {
  int visits = 0;
  for (int round = 0; round < batch->rounds_count; round++) visits += batch->rounds[round].count;
  return visits;
}

static void run_rounds(const Tryout *tryout, double *seconds) {
  const Batch *batch = tryout->batch;
  double *mine = needed((size_t)batch->repetitions * sizeof *mine);
  double *longest = needed((size_t)batch->repetitions * sizeof *longest);
  for (int round = 0; round < batch->rounds_count; round++) {
    tell(tryout, "runs", round);
    for (int i = 0; i < batch->rounds[round].count; i++) {
      for (int which = 0; which < batch->groupings_count; which++) {
        const Side *side = &tryout->sides[which];
        // One grouping after the other: no rank may be in all of them to coordinate.
        if (batch->groupings_count > 1) wait_for_everybody(false, !side->takes_part);
        if (side->takes_part)
          *seconds += batch->groupings[which].share * visit(tryout, side, batch->rounds[round].arms[i], mine, longest);
      }
      seconds++;
    }
  }
  free(mine);
  free(longest);
}

static void time_rounds(const Tryout *tryout, Text *text) {
  const Batch *batch = tryout->batch;
  int visits = count_visits(batch);
  double *mine = needed((size_t)visits * sizeof *mine), *seconds = needed((size_t)visits * sizeof *seconds);
  run_rounds(tryout, mine);
  wait_for_everybody(false, tryout->idles);
  // The time of each grouping is on a single rank.
  MPI_Reduce(mine, seconds, visits, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const double *next = seconds;
  for (int round = 0; round < batch->rounds_count && tryout->rank == 0; round++)
    for (int i = 0; i < batch->rounds[round].count; i++)
      text_add(text, "time %d %d %.9e\n", round, batch->rounds[round].arms[i], *next++);
  free(mine);
  free(seconds);
}

static void check_and_time(Tryout *tryout, Text *text) {
  bool any_rejected = false;
  for (int arm = 0; arm < tryout->batch->arms_count; arm++) {
    char why[LINE] = "";
    if (is_usable(tryout, arm, why)) continue;
    any_rejected = true;
    text_add(text, "rejected %d %s\n", arm, why);
  }
  if (!any_rejected) time_rounds(tryout, text);
}

void tryout(const Batch *batch, const char *directory, int number, Text *text, char *line) {
  Tryout tryout = {.batch = batch, .directory = directory, .number = number};
  MPI_Comm_rank(MPI_COMM_WORLD, &tryout.rank);
  tryout.sides = needed((size_t)batch->groupings_count * sizeof *tryout.sides);
  make_sides(&tryout, line);
  if (!line[0]) check_and_time(&tryout, text);
  for (int i = 0; i < batch->groupings_count; i++) side_free(&tryout.sides[i]);
  free(tryout.sides);
}
