#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/failure.h"

static const char *const MODES[] = {
    [QUIET] = "quiet", [LOADED] = "loaded", [LEADERS] = "leaders", [SAMPLE] = "sample", [SERIAL] = "serial"};

static bool read_mode(const char *word, Mode *mode) {
  for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
    if (strcmp(word, MODES[i]) != 0) continue;
    *mode = (Mode)i;
    return true;
  }
  return false;
}

// A number from `smallest` to `largest` that ends the word, or where a comma follows.
static bool read_number(const char *word, char **end, long smallest, long largest, int *number) {
  errno = 0;
  long found = strtol(word, end, 10);
  if (*end == word || errno != 0 || found < smallest || found > largest) return false;
  *number = (int)found;
  return **end == '\0' || **end == ',';
}

static bool read_sizes(const char *word, Options *options) {
  for (char *end;; word = end + 1) {
    if (options->count == MOST_SIZES) return false;
    if (!read_number(word, &end, 0, LARGEST_MESSAGE, &options->sizes[options->count++])) return false;
    if (*end == '\0') return true;
  }
}

static bool read_repeats(const char *word, Options *options) {
  options->is_exact = *word == '=';
  char *end;
  return read_number(word + options->is_exact, &end, 1, MOST_REPEATS, &options->repeats) && *end == '\0';
}

void options_read(int argc, char **argv, Options *options, char *line) {
  *options = (Options){.directory = argc > 1 ? argv[1] : "."};
  line[0] = '\0';
  if (argc != 6) {
    snprintf(line, LINE, "five words are needed: DIRECTORY MODE SIZES REPEATS SEED");
    return;
  }
  char *end;
  options->mode_name = argv[2];
  if (!read_mode(argv[2], &options->mode)) {
    snprintf(line, LINE, "there is no mode %.100s: take quiet, loaded, leaders, sample or serial", argv[2]);
  } else if (!read_sizes(argv[3], options)) {
    snprintf(line, LINE, "wrong sizes %.100s: give up to %d numbers of bytes, 0 to %d, comma apart", argv[3],
             MOST_SIZES, LARGEST_MESSAGE);
  } else if (!read_repeats(argv[4], options)) {
    snprintf(line, LINE, "wrong repeats %.100s: give a number from 1 to %d", argv[4], MOST_REPEATS);
  } else {
    options->seed = strtoull(argv[5], &end, 10);
    if (end == argv[5] || *end != '\0') snprintf(line, LINE, "wrong seed %.100s: give a number", argv[5]);
  }
}
