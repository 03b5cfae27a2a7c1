#include "launcher.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "generated/launchers.h"

namespace rankwise::launcher {
namespace {

const char *value_of(const char *variable) {
  const char *value = *variable != '\0' ? std::getenv(variable) : nullptr;
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// Value of the first variable that is set.
template <std::size_t Count>
int number(const char *const (&variables)[Count]) {
  for (const char *variable : variables) {
    const char *value = value_of(variable);
    if (value == nullptr) continue;
    char *end = nullptr;
    const long parsed = std::strtol(value, &end, 10);
    return *end == '\0' && parsed >= 0 && parsed < 1 << 28 ? static_cast<int>(parsed) : -1;
  }
  return -1;
}

// The words of a process's command line, one after the other; an empty text if /proc doesn't have it.
std::size_t command_line(pid_t pid, char *words, std::size_t bytes) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/cmdline", static_cast<int>(pid));
  FILE *file = fopen(path, "re");
  if (file == nullptr) return 0;
  const std::size_t length = fread(words, 1, bytes - 1, file);
  fclose(file);
  words[length] = '\0';
  return length;
}

pid_t parent_of(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  FILE *file = fopen(path, "re");
  if (file == nullptr) return 0;
  char line[1024] = "";
  const bool read = fgets(line, sizeof line, file) != nullptr;
  fclose(file);
  const char *after_name = read ? strrchr(line, ')') : nullptr;  // the name before it may contain any character
  int parent = 0;
  return after_name != nullptr && sscanf(after_name + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

// The word after an option of a process that started this one, directly or not.
bool ancestors_option(const char *option, const char *prefix, char *text, std::size_t bytes) {
  constexpr int most_generations = 4;  // shells and wrappers between the launcher and the program
  pid_t pid = getppid();
  for (int i = 0; i < most_generations && pid > 1; ++i, pid = parent_of(pid)) {
    char words[4096];
    const std::size_t length = command_line(pid, words, sizeof words);
    for (std::size_t at = 0; at < length; at += strlen(words + at) + 1) {
      const std::size_t value = at + strlen(words + at) + 1;
      if (strcmp(words + at, option) == 0 && value < length) {
        snprintf(text, bytes, "%s%s", prefix, words + value);
        return true;
      }
    }
  }
  return false;
}

// The steps of a requeued job have their old names again. (A launcher's own names are new, and not all of its
// processes need to have these variables.)
void add_restarts(char *text, std::size_t bytes) {
  for (const Restarts &restarts : restart_variables) {
    const char *job = value_of(restarts.job);
    const char *count = value_of(restarts.count);
    if (job == nullptr || count == nullptr || strstr(text, job) == nullptr) continue;
    const std::size_t length = strlen(text);
    snprintf(text + length, bytes - length, " restart %s", count);
  }
}

bool tells(const World &world, char *text, std::size_t bytes) {
  if (*world.option != '\0') {
    if (!ancestors_option(world.option, world.prefix, text, bytes)) return false;
  } else {
    const char *value = value_of(world.variable);
    if (value == nullptr) return false;
    const char *second = value_of(world.second);
    const char *dot = *world.second != '\0' ? "." : "";
    snprintf(text, bytes, "%s%s%s%s", world.prefix, value, dot, second != nullptr ? second : world.missing);
  }
  add_restarts(text, bytes);
  const std::size_t length = strlen(text);
  if (value_of(world.spawned) != nullptr) snprintf(text + length, bytes - length, " spawned");
  return true;
}

}  // namespace

int rank() { return number(rank_variables); }

int size() { return number(size_variables); }

int local_rank() { return number(local_rank_variables); }

int rank_variable_number(const char *name) {
  int number = 0;
  for (const char *variable : rank_variables) {
    if (strcmp(variable, name) == 0) return number;
    ++number;
  }
  return -1;
}

const char *rank_variable(int number) { return rank_variables[number]; }

void job(char *text, std::size_t bytes) {
  if (bytes == 0) return;
  for (const World &world : worlds) {
    if (tells(world, text, bytes)) return;
  }
  text[0] = '\0';
}

void batch_job(char *text, std::size_t bytes) {
  const char *const *variable = std::find_if(std::begin(batch_job_variables), std::end(batch_job_variables), value_of);
  snprintf(text, bytes, "%s", variable != std::end(batch_job_variables) ? value_of(*variable) : "");
}

}  // namespace rankwise::launcher
