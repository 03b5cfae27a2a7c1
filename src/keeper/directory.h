// The names in a directory.
#ifndef RANKWISE_KEEPER_DIRECTORY_H
#define RANKWISE_KEEPER_DIRECTORY_H

#include <fcntl.h>
#include <stdint.h>

#include "system.h"

namespace rankwise::keeper {

// As getdents64 gives it.
struct Listed {
  uint64_t inode;
  int64_t next;
  uint16_t bytes;
  uint8_t kind;
  char name[1];
};

// Calls `use` for all that an open directory lists.
template <class Use>
void for_each_listed(int directory, Use use) {
  alignas(Listed) char listing[8192] = {};
  call(SYS_lseek, directory, 0, 0);
  for (long bytes = 0; (bytes = call(SYS_getdents64, directory, listing, sizeof listing)) > 0;) {
    for (long at = 0; at < bytes;) {
      const auto *listed = reinterpret_cast<const Listed *>(listing + at);
      at += listed->bytes;
      use(*listed);
    }
  }
}

// Calls `use` with the names in a directory, if it exists. Names that begin with a point are left out.
template <class Use>
void for_each_name(const char *path, Use use) {
  const auto directory = static_cast<int>(call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory < 0) return;
  for_each_listed(directory, [&](const Listed &listed) {
    if (listed.name[0] != '.') use(listed.name);
  });
  close(directory);
}

}  // namespace rankwise::keeper

#endif
