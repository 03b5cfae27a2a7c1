// The name of this node, which identifies it.
#ifndef RANKWISE_HOST_H
#define RANKWISE_HOST_H

#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace rankwise {

// From gethostname; it can be a part of a file's name.
template <std::size_t bytes>
void host_name(char (&host)[bytes]) {
  snprintf(host, bytes, "unknown");
  static_cast<void>(gethostname(host, bytes - 1));
  host[bytes - 1] = '\0';
  for (char *c = host; *c != '\0'; ++c) {
    if (*c == '/') *c = '_';
  }
}

}  // namespace rankwise

#endif
