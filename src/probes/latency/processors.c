#define _GNU_SOURCE
#include "processors.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu"

Processors processors_allowed(void) {
  Processors found = {{0}};
  cpu_set_t *set = CPU_ALLOC(PROCESSORS);
  size_t bytes = CPU_ALLOC_SIZE(PROCESSORS);
  if (set) CPU_ZERO_S(bytes, set);
  if (set && sched_getaffinity(0, bytes, set) == 0)
    for (int number = 0; number < PROCESSORS; number++)
      if (CPU_ISSET_S((size_t)number, bytes, set)) found.bits[number / 8] |= (unsigned char)(1 << number % 8);
  CPU_FREE(set);
  return found;
}

bool processors_has(const Processors *processors, int number) {
  return number < PROCESSORS && (processors->bits[number / 8] >> number % 8 & 1);
}

int processors_count(const Processors *processors) {
  int count = 0;
  for (int number = 0; number < PROCESSORS; number++) count += processors_has(processors, number);
  return count;
}

void processors_add_list(const Processors *processors, Text *text) {
  const char *separator = "";
  for (int first = 0; first < PROCESSORS; first++) {
    if (!processors_has(processors, first)) continue;
    int last = first;
    while (processors_has(processors, last + 1)) last++;
    text_add(text, first == last ? "%s%d" : "%s%d-%d", separator, first, last);
    separator = ",";
    first = last;
  }
}

// -1 if the kernel does not report it.
static int number_in(const char *path) {
  int number = -1;
  FILE *file = fopen(path, "r");
  if (!file) return -1;
  if (fscanf(file, "%d", &number) != 1) number = -1;
  fclose(file);
  return number;
}

static int attribute(int processor, const char *name) {
  char path[256];
  snprintf(path, sizeof path, CPUS "/cpu%d/%s", processor, name);
  return number_in(path);
}

// A processor's directory has a link to its NUMA node's, such as node0.
static int numa_node(int processor) {
  char path[256];
  snprintf(path, sizeof path, CPUS "/cpu%d", processor);
  DIR *directory = opendir(path);
  if (!directory) return -1;
  int found = -1;
  for (struct dirent *entry; found < 0 && (entry = readdir(directory));)
    if (sscanf(entry->d_name, "node%d", &found) != 1) found = -1;
  closedir(directory);
  return found;
}

static int level_3_cache(int processor) {
  char name[64];
  for (int index = 0;; index++) {
    snprintf(name, sizeof name, "cache/index%d/level", index);
    int level = attribute(processor, name);
    if (level < 0) return -1;
    if (level != 3) continue;
    snprintf(name, sizeof name, "cache/index%d/id", index);
    return attribute(processor, name);
  }
}

static void add_processor(int processor, const char *separator, Text *text) {
  text_add(text, "%s{\"os\": %d, \"core\": %d, \"package\": %d, \"numa\": %d, \"l3\": %d}", separator, processor,
           attribute(processor, "topology/core_id"), attribute(processor, "topology/physical_package_id"),
           numa_node(processor), level_3_cache(processor));
}

void processors_add_online(Text *text) {
  FILE *file = fopen(CPUS "/online", "r");
  if (!file) return;
  const char *separator = "";
  for (int first, last; fscanf(file, "%d", &first) == 1;) {
    if (fscanf(file, "-%d", &last) != 1) last = first;
    for (int number = first; number <= last; number++) {
      add_processor(number, separator, text);
      separator = ", ";
    }
    if (fgetc(file) != ',') break;
  }
  fclose(file);
}
