#include "launcher.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rankwise::launcher {
namespace {

// First variable of the list that is set; the list ends with nullptr.
const char *first_of(const char *const *names) {
  for (; *names != nullptr; ++names) {
    const char *value = std::getenv(*names);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

int number(const char *const *names) {
  const char *value = first_of(names);
  if (value == nullptr) return -1;
  char *end = nullptr;
  const long parsed = std::strtol(value, &end, 10);
  return *end == '\0' && parsed >= 0 && parsed < 1 << 28 ? static_cast<int>(parsed) : -1;
}

// The words of a process's command line, one after the other; an empty text if /proc doesn't tell.
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
  const char *after_name = read ? strrchr(line, ')') : nullptr;  // the name before may hold anything
  int parent = 0;
  return after_name != nullptr && sscanf(after_name + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

// hydra tells its processes nothing that another launch doesn't have, too. But the proxy that started this one was
// told to which port of its mpiexec it belongs, the same on every node.
bool hydra_control_port(char *text, std::size_t bytes) {
  static constexpr char option[] = "--control-port";
  constexpr int most_generations = 4;  // shells and wrappers between the proxy and the program
  pid_t pid = getppid();
  for (int i = 0; i < most_generations && pid > 1; ++i, pid = parent_of(pid)) {
    char words[4096];
    const std::size_t length = command_line(pid, words, sizeof words);
    for (std::size_t at = 0; at < length; at += strlen(words + at) + 1) {
      const std::size_t value = at + strlen(words + at) + 1;
      if (strcmp(words + at, option) == 0 && value < length) {
        snprintf(text, bytes, "hydra %s", words + value);
        return true;
      }
    }
  }
  return false;
}

}  // namespace

// Open MPI and PRRTE, hydra (MPICH, Intel MPI, MVAPICH), Slurm.
int rank() {
  static constexpr const char *names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", nullptr};
  return number(names);
}

int size() {
  static constexpr const char *names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", nullptr};
  return number(names);
}

int local_rank() {
  static constexpr const char *names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", nullptr};
  return number(names);
}

void job(char *text, std::size_t bytes) {
  static constexpr const char *spaces[] = {"PMIX_NAMESPACE", "PMI_JOBID", nullptr};
  static constexpr const char *intels[] = {"I_MPI_HYDRA_UUID", nullptr};
  static constexpr const char *process_groups[] = {"HYDRA_BSTRAP_PGID", nullptr};
  static constexpr const char *spawned[] = {"PMI_SPAWNED", nullptr};
  static constexpr const char *jobs[] = {"SLURM_JOB_ID", nullptr};
  static constexpr const char *steps[] = {"SLURM_STEP_ID", nullptr};
  const char *space = first_of(spaces);
  const char *slurm_job = first_of(jobs);
  const char *slurm_step = first_of(steps);
  if (space != nullptr) {
    snprintf(text, bytes, "%s", space);
  } else if (const char *intel = first_of(intels); intel != nullptr) {
    const char *process_group = first_of(process_groups);
    snprintf(text, bytes, "hydra %s.%s", intel, process_group != nullptr ? process_group : "0");
  } else if (hydra_control_port(text, bytes)) {
    // All that is spawned has this in common; the reader tells one spawning from the next by its time.
    const std::size_t length = strlen(text);
    if (first_of(spawned) != nullptr) snprintf(text + length, bytes - length, " spawned");
  } else if (slurm_job != nullptr) {
    snprintf(text, bytes, "%s.%s", slurm_job, slurm_step != nullptr ? slurm_step : "");
  } else if (bytes > 0) {
    text[0] = '\0';
  }
}

}  // namespace rankwise::launcher
