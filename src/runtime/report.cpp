#include "report.h"

#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "launcher.h"
#include "write_signals.h"

namespace rankwise {

namespace {

void write_line(const char *format, va_list arguments) {
  char line[1024];
  int length = snprintf(line, sizeof line, "rankwise: ");
  length += vsnprintf(line + length, sizeof line - static_cast<size_t>(length) - 1, format, arguments);
  if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
  // The name of a directory may contain any character, also terminal control sequences.
  for (char *c = line; c < line + length; ++c) {
    if (static_cast<unsigned char>(*c) < ' ' || *c == 0x7F) *c = '?';
  }
  line[length++] = '\n';
  const WithoutWriteSignals quiet;  // stderr may be a pipe that is no longer read
  // One write, so that lines of several processes don't mix; a failure can't be handled.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(length));
}

}  // namespace

void say_once(const char *format, ...) {
  static std::atomic_flag said;
  if (said.test_and_set() || launcher::local_rank() > 0) return;
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

}  // namespace rankwise
