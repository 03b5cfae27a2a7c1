#define _GNU_SOURCE
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"

enum { INTERVAL_US = 100000 };

Progress progress_start(const char *directory) { return (Progress){directory, now_us(), 0}; }

double progress_seconds(const Progress *progress) { return (now_us() - progress->start_us) / 1e6; }

static void write_line(const Progress *progress, int64_t done, int64_t total) {
  char path[4096], unfinished[4096];
  snprintf(path, sizeof path, "%s/progress", progress->directory);
  snprintf(unfinished, sizeof unfinished, "%s/progress.new", progress->directory);
  FILE *file = fopen(unfinished, "w");
  if (!file) return;
  fprintf(file, "%" PRId64 " %" PRId64 " %.3f\n", done, total, progress_seconds(progress));
  if (fclose(file) == 0) rename(unfinished, path);
}

bool progress_tell(Progress *progress, int64_t done, int64_t total) {
  if (done < total && now_us() - progress->told_us < INTERVAL_US) return false;
  progress->told_us = now_us();
  write_line(progress, done, total);
  char stop[4096];
  snprintf(stop, sizeof stop, "%s/stop", progress->directory);
  return access(stop, F_OK) == 0;
}
