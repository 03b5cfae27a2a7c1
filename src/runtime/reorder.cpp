#include "reorder.h"

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
  if (by_machine) run_directory::path_of("machine.json", machine_path, sizeof machine_path);
}

const char *machine() { return machine_path[0] != '\0' ? machine_path : nullptr; }

}  // namespace rankwise::reorder
