// To be preloaded: whoever rings for the keeper of its node has opened the bell long before it writes to it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int is_bell(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path);
  return length > 5 && memcmp(path + length - 5, "/bell", 5) == 0;
}

ssize_t write(int file, const void *from, size_t bytes) {
  static ssize_t (*next)(int, const void *, size_t);
  if (!next) next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  const struct timespec pause = {1, 500000000};
  if (bytes == 1 && is_bell(file)) nanosleep(&pause, NULL);
  return next(file, from, bytes);
}
