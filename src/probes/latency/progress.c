#define _GNU_SOURCE
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "../common/clock.h"
#include "../common/whole_file.h"

enum { INTERVAL_US = 100000 };

Progress progress_start(const char *directory) { return (Progress){directory, now_us(), 0}; }

double progress_seconds(const Progress *progress) { return (now_us() - progress->start_us) / 1e6; }

static void write_line(const Progress *progress, int64_t done, int64_t total) {
  char line[128];
  int length = snprintf(line, sizeof line, "%" PRId64 " %" PRId64 " %.3f\n", done, total, progress_seconds(progress));
  whole_file_write(progress->directory, "progress", line, (size_t)length);
}

bool progress_tell(Progress *progress, int64_t done, int64_t total) {
  if (done < total && now_us() - progress->told_us < INTERVAL_US) return false;
  progress->told_us = now_us();
  write_line(progress, done, total);
  char stop[4096];
  snprintf(stop, sizeof stop, "%s/stop", progress->directory);
  return access(stop, F_OK) == 0;
}
