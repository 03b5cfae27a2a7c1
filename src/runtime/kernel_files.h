// Files of the kernel below /sys.
#ifndef RANKWISE_KERNEL_FILES_H
#define RANKWISE_KERNEL_FILES_H

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace rankwise::kernel_files {

// The path of a file or a directory. For tests, `RANKWISE_TEST_SYSFS` replaces /sys.
struct Path {
  char text[256];

  // (`...` is what printf takes.)
  [[gnu::format(printf, 2, 3)]] explicit Path(const char *format, ...) {
    const char *root = std::getenv("RANKWISE_TEST_SYSFS");
    const int length = snprintf(text, sizeof text, "%s", root != nullptr ? root : "/sys");
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof text) return;
    va_list values;
    va_start(values, format);
    vsnprintf(text + length, sizeof text - static_cast<std::size_t>(length), format, values);
    va_end(values);
  }
};

// The text of a file; empty if it doesn't exist. Never blocks on anything but a regular file.
struct Text {
  char text[4096] = "";

  explicit Text(const Path &path) {
    const int file = open(path.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;
    const ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    text[bytes > 0 ? bytes : 0] = '\0';
  }

  // -1 if it is no number.
  int number() const {
    char *end = nullptr;
    const long value = std::strtol(text, &end, 10);
    return end == text || value < 0 || value > INT32_MAX ? -1 : static_cast<int>(value);
  }
};

}  // namespace rankwise::kernel_files

#endif
