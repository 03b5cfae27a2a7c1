#include "reorder.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "run_directory.h"

namespace rankwise::reorder {

namespace {

char machine_path[4096] = "";

}  // namespace

// The words and the file name match python/rankwise/launch/reorder.py.
void read_wish() {
  const char *wish = std::getenv("RANKWISE_REORDER");
  if (wish == nullptr) return;
  const bool by_machine = strcmp(wish, "machine") == 0;
  wanted = by_machine || strcmp(wish, "nodes") == 0;
  const char *directory = run_directory::path();
  if (by_machine && directory != nullptr) snprintf(machine_path, sizeof machine_path, "%s/machine.json", directory);
}

const char *machine() { return machine_path[0] != '\0' ? machine_path : nullptr; }

}  // namespace rankwise::reorder
