// Ports of the network and their counters, as the kernel shows them in files.
#ifndef RANKWISE_KEEPER_NETWORK_PORTS_H
#define RANKWISE_KEEPER_NETWORK_PORTS_H

#include <stddef.h>
#include <stdint.h>

#include "../runtime/format.h"

namespace rankwise::keeper {

struct Sources;

class NetworkPorts {
 public:
  // Finds the ports below `root` (/sys), and keeps the files of their counters open.
  void open(const char *root);

  uint32_t count() const { return count_; }
  const rankwise_network_port *all() const { return ports_; }

  // Writes all counters to `values`: RANKWISE_NETWORK_COUNTERS for each port. With `rare`, also
  // counters that hardly change and that some adapters are slow to read; otherwise their values stay.
  void read(uint64_t *values, bool rare) const;

 private:
  // A file that a counter is in, or a part of it.
  struct File {
    int descriptor;
    uint16_t port;
    uint8_t counter;
    uint8_t unit;  // what one is worth
  };

  void add_verbs(const char *root);
  void add_slingshot(const char *root);
  void add_interfaces(const char *root, bool physical);
  void add_tcp();
  void add_port(const char *device, uint32_t number, rankwise_network_kind kind, const char *directory,
                const Sources &sources);
  static bool is_in(const char *directory, const char *name);

  static constexpr uint32_t most_ports = 32;
  static constexpr uint32_t most_files = 768;
  rankwise_network_port ports_[most_ports] = {};
  File files_[most_files] = {};
  uint32_t count_ = 0;
  uint32_t file_count_ = 0;
  int interfaces_ = -1;
  int tcp_ = -1;
};

}  // namespace rankwise::keeper

#endif
