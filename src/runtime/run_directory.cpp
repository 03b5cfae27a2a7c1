#include "run_directory.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "clock.h"
#include "hash.h"
#include "host.h"
#include "launcher.h"
#include "report.h"

namespace rankwise::run_directory {
namespace {

constexpr std::size_t most_job_bytes = 200;  // with prefix and suffix, a file's name has 255 at most

// For a process without a launcher: its job is itself.
template <std::size_t bytes>
void own_job(char (&job)[bytes]) {
  char host[64];
  host_name(host);
  snprintf(job, bytes, "%s-%d-%llx", host, static_cast<int>(getpid()),
           static_cast<unsigned long long>(clock::nanoseconds(CLOCK_REALTIME)));
}

bool is_harmless(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || strchr("-_.@+", c) != nullptr;
}

// Converts it to a part of a file's name. If it is too long, a hash replaces the rest.
void make_safe(char *job) {
  const std::size_t length = strlen(job);
  if (length > most_job_bytes) {
    std::uint64_t rest = 0;
    constexpr std::size_t kept = most_job_bytes - 17;
    for (const char *c = job + kept; *c != '\0'; ++c) rest = chain(rest, static_cast<unsigned char>(*c));
    snprintf(job + kept, length + 1 - kept, "-%016llx", static_cast<unsigned long long>(rest));
  }
  for (char *c = job; *c != '\0'; ++c) {
    if (!is_harmless(*c)) *c = '_';
  }
}

// RATIONALE: users may share the directory, and launchers count separately for each of them.
bool write_path(const char *jobs, char *path, std::size_t bytes) {
  char job[512];
  launcher::job(job, sizeof job);
  if (job[0] == '\0') own_job(job);
  make_safe(job);
  const auto user = static_cast<unsigned>(syscall(SYS_geteuid));
  const int length = snprintf(path, bytes, "%s/u%u.%s.rankwise-run", jobs, user, job);
  return length > 0 && static_cast<std::size_t>(length) < bytes;
}

}  // namespace

const char *path() {
  if (const char *told = unless_empty(std::getenv("RANKWISE_DIR")); told != nullptr) return told;
  const char *jobs = unless_empty(std::getenv("RANKWISE_JOBS"));
  if (jobs == nullptr) return nullptr;
  static char own[4096] = "";
  if (own[0] != '\0') return own;
  if (*jobs == '/' && write_path(jobs, own, sizeof own)) return own;
  own[0] = '\0';
  say_once("nothing is saved: RANKWISE_JOBS is %s, not a whole path of a directory", jobs);
  return nullptr;
}

bool path_of(const char *name, char *path, std::size_t bytes) {
  const char *directory = run_directory::path();
  return directory != nullptr && snprintf(path, bytes, "%s/%s", directory, name) > 0;
}

}  // namespace rankwise::run_directory
