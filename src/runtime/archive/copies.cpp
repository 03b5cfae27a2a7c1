// In a statically linked program there is but one copy.
#include "../dispatch/copies.h"

#include <cstdlib>

namespace rankwise::copies {

bool recording_wanted() { return run_directory() != nullptr; }

const char *run_directory() {
  const char *directory = std::getenv("RANKWISE_DIR");
  return directory != nullptr && *directory != '\0' ? directory : nullptr;
}

}  // namespace rankwise::copies
