#include "launcher.h"

#include <cstdio>
#include <cstdlib>

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
  static constexpr const char *jobs[] = {"SLURM_JOB_ID", nullptr};
  static constexpr const char *steps[] = {"SLURM_STEP_ID", nullptr};
  const char *space = first_of(spaces);
  const char *slurm_job = first_of(jobs);
  const char *slurm_step = first_of(steps);
  if (space != nullptr) {
    snprintf(text, bytes, "%s", space);
  } else if (slurm_job != nullptr) {
    snprintf(text, bytes, "%s.%s", slurm_job, slurm_step != nullptr ? slurm_step : "");
  } else if (bytes > 0) {
    text[0] = '\0';
  }
}

}  // namespace rankwise::launcher
