#include "header.h"

#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../common/failure.h"
#include "../common/whole_file.h"

static const char *json_bool(bool value) { return value ? "true" : "false"; }

static void add_library(Text *text) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\r\n")] = '\0';
  text_add(text, "\"mpi\": ");
  text_add_string(text, version);
}

static void add_sizes(const Options *options, Text *text) {
  text_add(text, "\"sizes\": [");
  for (int i = 0; i < options->count; i++) text_add(text, i ? ", %d" : "%d", options->sizes[i]);
  text_add(text, "]");
}

static void add_outcome(const Outcome *outcome, Text *text) {
  text_add(text, "\"rounds\": %" PRId64 ",\n\"rounds_done\": %" PRId64 ",\n", outcome->steps, outcome->steps_done);
  text_add(text, "\"pairs_expected\": %" PRId64 ",\n", outcome->pairs_expected);
  text_add(text, "\"interrupted\": %s,\n\"seconds\": %.6f", json_bool(outcome->interrupted), outcome->seconds);
}

// In the order of Record and Sized.
static void add_fields(const Options *options, Text *text) {
  static const char *const sized[] = {"min", "median", "p95", "mean", "std", "forward", "backward"};
  text_add(text, "\"fields\": [[\"first\", null, \"<u4\"], [\"second\", null, \"<u4\"], [\"overhead\", null, \"<f4\"]");
  for (int i = 0; i < options->count; i++) {
    text_add(text, ",\n  [\"repeats\", %d, \"<u4\"]", options->sizes[i]);
    for (size_t field = 0; field < sizeof sized / sizeof *sized; field++)
      text_add(text, ", [\"%s\", %d, \"<f4\"]", sized[field], options->sizes[i]);
  }
  text_add(text, "]");
}

static void add_table(const Options *options, const Table *table, Text *text) {
  text_add(text, "\"table\": {\"pairs\": %" PRId64 ", \"alone\": %" PRId64 ", \"record_bytes\": %d,\n ", table->pairs,
           table->alone, record_bytes(options->count));
  add_fields(options, text);
  text_add(text, "}");
}

void header_write(const Options *options, const Hosts *hosts, const Table *table, const Outcome *outcome, char *line) {
  Text text = {0};
  text_add(&text, "{\n");
  add_library(&text);
  text_add(&text, ",\n\"mode\": \"%s\",\n", options->mode_name);
  add_sizes(options, &text);
  text_add(&text, ",\n\"repeats\": %d,\n\"exact_repeats\": %s,\n\"seed\": %" PRIu64 ",\n", options->repeats,
           json_bool(options->is_exact), options->seed);
  add_outcome(outcome, &text);
  text_add(&text, ",\n\"oversubscribed\": %s,\n\"hosts\": [", json_bool(hosts->oversubscribed));
  hosts_gather(hosts, &text);
  text_add(&text, "],\n\"ranks\": [");
  hosts_gather_ranks(hosts, &text);
  text_add(&text, "],\n");
  add_table(options, table, &text);
  text_add(&text, "\n}\n");

  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && !whole_file_write(options->directory, "header.json", text.characters, text.length))
    snprintf(line, LINE, "cannot write %.300s/header.json: %.100s", options->directory, strerror(errno));
  text_free(&text);
}
