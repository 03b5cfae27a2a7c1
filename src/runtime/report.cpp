#include "report.h"

#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "launcher.h"

namespace rankwise {

void say_once(const char *format, ...) {
  static std::atomic_flag said;
  if (said.test_and_set() || launcher::local_rank() > 0) return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = snprintf(line, sizeof line, "rankwise: ");
  length += vsnprintf(line + length, sizeof line - static_cast<size_t>(length) - 1, format, arguments);
  va_end(arguments);
  if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
  // The name of a directory may hold anything, also what steers a terminal.
  for (char *c = line; c < line + length; ++c) {
    if (static_cast<unsigned char>(*c) < ' ' || *c == 0x7F) *c = '?';
  }
  line[length++] = '\n';
  // One write, so that lines of several processes don't mix; nothing can be done if it fails.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(length));
}

}  // namespace rankwise
