#define _GNU_SOURCE
#include "batch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/failure.h"
#include "variables.h"

enum { MOST_REPETITIONS = 1000000 };

// The array with one more element at its end, of zeroes; the count is raised.
static void *grown(void *array, int *count, size_t size) {
  char *larger = realloc(array, (size_t)(*count + 1) * size);
  if (!larger) {
    fprintf(stderr, "probe: no memory\n");
    MPI_Abort(MPI_COMM_WORLD, STATUS_OF_FAILURE);
  }
  memset(larger + (size_t)(*count)++ * size, 0, size);
  return larger;
}

static bool number(const char *word, int64_t smallest, int64_t largest, int64_t *found) {
  if (!word) return false;
  char *end;
  errno = 0;
  long long value = strtoll(word, &end, 10);
  *found = value;
  return end != word && *end == '\0' && errno == 0 && value >= smallest && value <= largest;
}

static bool numbers(char **rest, int64_t below, int **array, int *count) {
  for (char *word; (word = strtok_r(NULL, " ", rest));) {
    int64_t found;
    if (!number(word, 0, below - 1, &found)) return false;
    *array = grown(*array, count, sizeof(int));
    (*array)[*count - 1] = (int)found;
  }
  return *count > 0;
}

static bool read_grouping(Batch *batch, char **rest) {
  const char *share = strtok_r(NULL, " ", rest);
  int64_t root;
  if (!share || !number(strtok_r(NULL, " ", rest), 0, INT_MAX, &root)) return false;
  batch->groupings = grown(batch->groupings, &batch->groupings_count, sizeof(Grouping));
  Grouping *grouping = &batch->groupings[batch->groupings_count - 1];
  grouping->share = strtod(share, NULL);
  grouping->root = (int)root;
  return grouping->share >= 0;
}

static bool read_group(Batch *batch, char **rest, int ranks) {
  if (batch->groupings_count == 0) return false;
  Grouping *grouping = &batch->groupings[batch->groupings_count - 1];
  grouping->groups = grown(grouping->groups, &grouping->count, sizeof(Group));
  Group *group = &grouping->groups[grouping->count - 1];
  return numbers(rest, ranks, &group->ranks, &group->count) && grouping->root < group->count;
}

static bool read_late(Batch *batch, char **rest, int ranks, int me) {
  int64_t rank, ns;
  if (batch->groupings_count == 0 || !number(strtok_r(NULL, " ", rest), 0, ranks - 1, &rank)) return false;
  if (!number(strtok_r(NULL, " ", rest), 0, INT64_MAX, &ns)) return false;
  if (rank == me) batch->groupings[batch->groupings_count - 1].late_ns = ns;
  return true;
}

static bool read_arm(Batch *batch, char **rest) {
  int64_t without;
  if (!number(strtok_r(NULL, " ", rest), 0, 1, &without)) return false;
  batch->arms = grown(batch->arms, &batch->arms_count, sizeof(Arm));
  batch->arms[batch->arms_count - 1].without_han = without != 0;
  return true;
}

static bool read_setting(Batch *batch, char **rest) {
  const char *name = strtok_r(NULL, " ", rest);
  int64_t value;
  if (batch->arms_count == 0 || !name || !number(strtok_r(NULL, " ", rest), INT_MIN, INT_MAX, &value)) return false;
  Arm *arm = &batch->arms[batch->arms_count - 1];
  Setting setting = {.value = (int)value};
  if (!variable_find(name, &setting.handle, &setting.before)) {
    arm->missing = name;
    return true;
  }
  arm->settings = grown(arm->settings, &arm->count, sizeof setting);
  arm->settings[arm->count - 1] = setting;
  return true;
}

static bool read_mockup(Batch *batch, char **rest) {
  const char *name = strtok_r(NULL, " ", rest);
  if (batch->arms_count == 0 || !batch->collective || !name) return false;
  batch->has_mockups = true;
  batch->arms[batch->arms_count - 1].mockup = mockup_find(name, batch->collective);
  return batch->arms[batch->arms_count - 1].mockup != NULL;
}

static bool read_larger(Batch *batch, char **rest) {
  if (batch->arms_count == 0) return false;
  batch->arms[batch->arms_count - 1].is_larger = true;
  return number(strtok_r(NULL, " ", rest), 1, INT64_MAX, &batch->larger_bytes);
}

static bool read_round(Batch *batch, char **rest) {
  batch->rounds = grown(batch->rounds, &batch->rounds_count, sizeof(Round));
  Round *round = &batch->rounds[batch->rounds_count - 1];
  return numbers(rest, batch->arms_count, &round->arms, &round->count);
}

static bool read_count(int *count, char **rest) {
  int64_t found;
  if (!number(strtok_r(NULL, " ", rest), 0, MOST_REPETITIONS, &found)) return false;
  *count = (int)found;
  return true;
}

static bool read_line(Batch *batch, const char *what, char **rest, int ranks, int me) {
  if (strcmp(what, "grouping") == 0) return read_grouping(batch, rest);
  if (strcmp(what, "group") == 0) return read_group(batch, rest, ranks);
  if (strcmp(what, "late") == 0) return read_late(batch, rest, ranks, me);
  if (strcmp(what, "arm") == 0) return read_arm(batch, rest);
  if (strcmp(what, "set") == 0) return read_setting(batch, rest);
  if (strcmp(what, "mock") == 0) return read_mockup(batch, rest);
  if (strcmp(what, "larger") == 0) return read_larger(batch, rest);
  if (strcmp(what, "round") == 0) return read_round(batch, rest);
  if (strcmp(what, "bytes") == 0) return number(strtok_r(NULL, " ", rest), 0, INT64_MAX, &batch->bytes);
  if (strcmp(what, "warmups") == 0) return read_count(&batch->warmups, rest);
  if (strcmp(what, "repetitions") == 0) return read_count(&batch->repetitions, rest);
  const char *word = strtok_r(NULL, " ", rest);
  if (!word) return false;
  if (strcmp(what, "chosen") == 0) {
    batch->chosen_at_calls = strcmp(word, "calls") == 0;
    return batch->chosen_at_calls || strcmp(word, "communicators") == 0;
  }
  if (strcmp(what, "collective") != 0) return false;
  batch->collective = collective_find(word);
  return batch->collective != NULL;
}

void batch_read(Batch *batch, char *text, char *line) {
  *batch = (Batch){.repetitions = 1};
  int ranks, me, at = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  char *lines, *rest;
  for (char *each = strtok_r(text, "\n", &lines); each; each = strtok_r(NULL, "\n", &lines)) {
    at++;
    const char *what = strtok_r(each, " ", &rest);
    if (what && read_line(batch, what, &rest, ranks, me)) continue;
    snprintf(line, LINE, "line %d of the batch is wrong: %.100s", at, what ? what : "");
    return;
  }
  if (!batch->collective || batch->groupings_count == 0 || batch->arms_count == 0 || batch->repetitions == 0)
    snprintf(line, LINE, "a batch needs a collective, groupings, arms and repetitions");
  for (int i = 0; i < batch->groupings_count; i++)
    if (batch->groupings[i].count == 0) snprintf(line, LINE, "a grouping of the batch has no group");
}

void batch_free(Batch *batch) {
  for (int i = 0; i < batch->groupings_count; i++) {
    for (int group = 0; group < batch->groupings[i].count; group++) free(batch->groupings[i].groups[group].ranks);
    free(batch->groupings[i].groups);
  }
  for (int i = 0; i < batch->arms_count; i++) {
    for (int each = 0; each < batch->arms[i].count; each++)
      MPI_T_cvar_handle_free(&batch->arms[i].settings[each].handle);
    free(batch->arms[i].settings);
  }
  for (int i = 0; i < batch->rounds_count; i++) free(batch->rounds[i].arms);
  free(batch->groupings);
  free(batch->arms);
  free(batch->rounds);
  *batch = (Batch){0};
}
