#include "processors.h"

#include <dirent.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rankwise::reordering {
namespace {

constexpr char all_processors[] = "/sys/devices/system/cpu";

// The number that a file of the processor begins with; -1 if it is not there.
std::int32_t number_in(int processor, const char *file) {
  char path[128];
  snprintf(path, sizeof path, "%s/cpu%d/%s", all_processors, processor, file);
  FILE *source = fopen(path, "re");
  if (source == nullptr) return -1;
  char line[32];
  char *end = line;
  const long number = fgets(line, sizeof line, source) != nullptr ? strtol(line, &end, 10) : -1;
  fclose(source);
  return end != line && number >= 0 && number <= 0x7FFFFFFF ? static_cast<std::int32_t>(number) : -1;
}

// Its NUMA node is a link `nodeN` in its directory.
std::int32_t numa_of(int processor) {
  char path[128];
  snprintf(path, sizeof path, "%s/cpu%d", all_processors, processor);
  DIR *directory = opendir(path);
  if (directory == nullptr) return -1;
  std::int32_t node = -1;
  for (const dirent *entry = readdir(directory); entry != nullptr && node < 0; entry = readdir(directory)) {
    constexpr std::size_t length = sizeof "node" - 1;
    char *end = nullptr;
    if (strncmp(entry->d_name, "node", length) != 0) continue;
    const long number = strtol(entry->d_name + length, &end, 10);
    if (end != entry->d_name + length && *end == '\0') node = static_cast<std::int32_t>(number);
  }
  closedir(directory);
  return node;
}

std::int32_t l3_of(int processor) {
  for (int index = 0; index < 8; ++index) {
    char file[64];
    snprintf(file, sizeof file, "cache/index%d/level", index);
    const std::int32_t level = number_in(processor, file);
    if (level < 0) return -1;
    if (level != 3) continue;
    snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", index);
    return number_in(processor, file);
  }
  return -1;
}

}  // namespace

Surroundings surroundings_of(int processor) {
  return {number_in(processor, "topology/physical_package_id"), numa_of(processor), l3_of(processor),
          number_in(processor, "topology/core_id")};
}

}  // namespace rankwise::reordering
