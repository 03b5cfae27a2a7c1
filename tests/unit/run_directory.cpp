// Prints the run directory that a process with this environment has. tests/unit/test_run_directory_names.py
#include "../../src/runtime/run_directory.h"

#include <cstdio>

int main() {
  const char *path = rankwise::run_directory::path();
  std::printf("%d %s\n", rankwise::run_directory::is_given() ? 1 : 0, path != nullptr ? path : "-");
  return 0;
}
