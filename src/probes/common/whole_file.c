#define _GNU_SOURCE
#include "whole_file.h"

#include <stdio.h>

bool whole_file_write(const char *directory, const char *name, const char *characters, size_t length) {
  char path[4096], unfinished[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  snprintf(unfinished, sizeof unfinished, "%s/%s.new", directory, name);
  FILE *file = fopen(unfinished, "w");
  bool is_written = file && fwrite(characters, 1, length, file) == length;
  if (file && fclose(file) != 0) is_written = false;
  return is_written && rename(unfinished, path) == 0;
}
