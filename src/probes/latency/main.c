// Measures latency and bandwidth between all pairs of ranks. `rankwise latency` starts this program with DIRECTORY MODE
// SIZES REPEATS SEED. docs/reference/latency-file.md describes the files that it leaves in DIRECTORY.
//
// Made by: mpicc -std=gnu11 -O2 -o latency *.c ../common/*.c -lm
#include <mpi.h>
#include <stdio.h>

#include "../common/failure.h"
#include "header.h"
#include "hosts.h"
#include "measurement.h"
#include "options.h"
#include "table.h"

// Reasons against this measurement, checked before it starts.
static void check(const Options *options, const Shape *shape, const Hosts *hosts, char *line) {
  if (shape->ranks == 1)
    snprintf(line, LINE, "one rank has no partner: start at least two");
  else if (options->mode == LEADERS && shape->nodes == 1)
    snprintf(line, LINE, "all ranks are on one node, %.200s: leaders of nodes need two; take mode quiet", hosts->name);
}

// The pairs that the schedule holds.
static int64_t count_expected(const Schedule *schedule) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int64_t ranks = schedule->shape->ranks, nodes = schedule->shape->nodes, mine = 0, all = 0;
  if (schedule->mode == LEADERS) return nodes * (nodes - 1) / 2;
  if (schedule->mode != SAMPLE) return ranks * (ranks - 1) / 2;
  for (int64_t step = 0; step < schedule_steps(schedule); step++) mine += schedule_partner(schedule, step, rank) > rank;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static int measure_all(const Options *options, const Hosts *hosts, const Shape *shape) {
  char line[LINE] = "";
  check(options, shape, hosts, line);
  if (failure_anywhere(options->directory, line)) return STATUS_OF_FAILURE;

  Measurement measurement;
  if (!measurement_make(&measurement, options, shape, hosts))
    snprintf(line, LINE, "not enough memory on %.200s for messages of these sizes", hosts->name);
  if (failure_anywhere(options->directory, line)) return STATUS_OF_FAILURE;

  Table table;
  table_open(&table, options->directory, line);
  if (failure_anywhere(options->directory, line)) return STATUS_OF_FAILURE;

  measurement.progress = progress_start(options->directory);
  measurement_run(&measurement);
  Outcome outcome = {
      .steps = schedule_steps(&measurement.schedule),
      .steps_done = measurement.steps_done,
      .pairs_expected = count_expected(&measurement.schedule),
      .interrupted = measurement.interrupted,
      .seconds = progress_seconds(&measurement.progress),
  };
  table_write(&table, &measurement.pairs, &measurement.alone, line);
  measurement_free(&measurement);
  if (failure_anywhere(options->directory, line)) return STATUS_OF_FAILURE;

  header_write(options, hosts, &table, &outcome, line);
  return failure_anywhere(options->directory, line) ? STATUS_OF_FAILURE : 0;
}

static int run(int argc, char **argv) {
  Options options;
  char line[LINE];
  options_read(argc, argv, &options, line);
  if (failure_anywhere(options.directory, line)) return STATUS_OF_FAILURE;

  Hosts hosts;
  hosts_find(&hosts);
  Shape shape;
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool is_made = shape_make(&shape, ranks, hosts.node);
  if (!is_made) snprintf(line, LINE, "not enough memory on %.200s", hosts.name);
  int status = failure_anywhere(options.directory, line) ? STATUS_OF_FAILURE : measure_all(&options, &hosts, &shape);
  if (is_made) shape_free(&shape);
  hosts_free(&hosts);
  return status;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int status = run(argc, argv);
  MPI_Finalize();
  return status;
}
