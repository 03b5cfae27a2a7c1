#include "network_ports.h"

#include <fcntl.h>

#include <initializer_list>

#include "directory.h"
#include "system.h"
#include "text.h"

namespace rankwise::keeper {

// A file below the directory of a port. Several files may add up to one counter.
struct Source {
  const char *file;
  rankwise_network_counter counter;
  uint8_t unit;
};

struct Sources {
  const Source *first;
  size_t count;
};

namespace {

constexpr size_t longest_path = 256;

// https://docs.kernel.org/admin-guide/abi-stable-files.html (class infiniband)
constexpr Source of_verbs[] = {
    {"counters/port_xmit_data", RANKWISE_NETWORK_SENT_BYTES, 4},  // words
    {"counters/port_rcv_data", RANKWISE_NETWORK_RECEIVED_BYTES, 4},
    {"counters/port_xmit_packets", RANKWISE_NETWORK_SENT_PACKETS, 1},
    {"counters/port_rcv_packets", RANKWISE_NETWORK_RECEIVED_PACKETS, 1},
    {"counters/port_xmit_wait", RANKWISE_NETWORK_WAIT_TICKS, 1},
    {"counters/symbol_error", RANKWISE_NETWORK_SYMBOL_ERRORS, 1},
    {"counters/port_rcv_errors", RANKWISE_NETWORK_RECEIVE_ERRORS, 1},
    {"counters/port_rcv_remote_physical_errors", RANKWISE_NETWORK_RECEIVE_ERRORS, 1},
    {"counters/local_link_integrity_errors", RANKWISE_NETWORK_RECEIVE_ERRORS, 1},
    {"counters/port_xmit_discards", RANKWISE_NETWORK_DISCARDS, 1},
    {"counters/link_downed", RANKWISE_NETWORK_LINK_DOWNS, 1},
    {"counters/link_error_recovery", RANKWISE_NETWORK_LINK_RECOVERIES, 1},
    {"hw_counters/local_ack_timeout_err", RANKWISE_NETWORK_RETRANSMISSIONS, 1},
    {"hw_counters/packet_seq_err", RANKWISE_NETWORK_RETRANSMISSIONS, 1},
    {"hw_counters/np_cnp_sent", RANKWISE_NETWORK_CONGESTION_MARKS, 1},
    {"hw_counters/rp_cnp_handled", RANKWISE_NETWORK_CONGESTION_MARKS, 1},
};

// A value is followed by @ and its time.
constexpr Source of_slingshot[] = {
    {"device/telemetry/hni_sts_tx_ok_octets", RANKWISE_NETWORK_SENT_BYTES, 1},
    {"device/telemetry/hni_sts_rx_ok_octets", RANKWISE_NETWORK_RECEIVED_BYTES, 1},
};

template <size_t count>
constexpr Sources list(const Source (&sources)[count]) {
  return {sources, count};
}

// The place of a port's first counter.
size_t first_of(uint32_t port) { return size_t{port} * RANKWISE_NETWORK_COUNTERS; }

bool is_rare(int counter) { return counter > RANKWISE_NETWORK_WAIT_TICKS; }

int open_file(const char *directory, const char *name) {
  char path[longest_path] = "";
  Text(path) << directory << "/" << name;
  return static_cast<int>(call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

// -1 if it is no number.
int64_t read_number(int file) {
  char text[64] = "";
  const long bytes = file < 0 ? -1 : read_at(file, text, sizeof text - 1, 0);
  return bytes > 0 && text[0] >= '0' && text[0] <= '9' ? number(text) : -1;
}

int64_t read_number(const char *directory, const char *name) {
  const int file = open_file(directory, name);
  const int64_t value = read_number(file);
  close(file);
  return value;
}

// The loopback interface, and IP over InfiniBand, whose packets the adapter counts.
bool is_counted_elsewhere(const char *directory) {
  constexpr int64_t infiniband = 32;
  constexpr int64_t loopback = 772;
  const int64_t type = read_number(directory, "type");
  return type == infiniband || type == loopback;
}

// Text that a file of the kernel has now.
struct Snapshot {
  char text[1U << 15];

  explicit Snapshot(int file) {
    const long bytes = file < 0 ? -1 : read_at(file, text, sizeof text - 1, 0);
    text[bytes > 0 ? bytes : 0] = '\0';
  }
};

// A line of /proc/net/dev: the name of an interface, a colon, and 16 numbers.
struct Interface {
  char name[32] = "";
  uint64_t numbers[16] = {};
};

// Calls `use` for each interface. RATIONALE: /proc/net/dev and not /sys/class/net, where a container may see interfaces
// that it does not use.
template <class Use>
void for_each_interface(const Snapshot &snapshot, Use use) {
  const char *at = snapshot.text;
  while (*at != '\0') {
    while (*at == ' ') ++at;
    Interface interface;
    size_t length = 0;
    for (; *at != ':' && *at != '\n' && *at != '\0'; ++at) {
      if (length < sizeof interface.name - 1) interface.name[length++] = *at;
    }
    if (*at == ':') {
      for (uint64_t &value : interface.numbers) {
        while (*++at == ' ') {
        }
        value = static_cast<uint64_t>(number(at));
        while (*at >= '0' && *at <= '9') ++at;
        --at;
      }
      use(interface);
    }
    while (*at != '\n' && *at != '\0') ++at;
    if (*at == '\n') ++at;
  }
}

struct Field {
  rankwise_network_counter counter;
  int number;
};

constexpr Field of_interfaces[] = {
    {RANKWISE_NETWORK_RECEIVED_BYTES, 0}, {RANKWISE_NETWORK_RECEIVED_PACKETS, 1}, {RANKWISE_NETWORK_RECEIVE_ERRORS, 2},
    {RANKWISE_NETWORK_DISCARDS, 3},       {RANKWISE_NETWORK_SENT_BYTES, 8},       {RANKWISE_NETWORK_SENT_PACKETS, 9},
    {RANKWISE_NETWORK_SEND_ERRORS, 10},   {RANKWISE_NETWORK_DISCARDS, 11},
};

constexpr uint64_t bit(rankwise_network_counter counter) { return uint64_t{1} << static_cast<unsigned>(counter); }

// The line with the values of TCP is the second that begins with its name.
void read_tcp(const Snapshot &snapshot, uint64_t *values) {
  const char *const text = snapshot.text;
  const char *at = text;
  for (int lines = 0; *at != '\0'; ++at) {
    const bool begins = at == text || at[-1] == '\n';
    if (begins && at[0] == 'T' && at[1] == 'c' && at[2] == 'p' && at[3] == ':' && ++lines == 2) break;
  }
  for (int field = 0; *at != '\0' && *at != '\n' && field < 12; ++at) {
    if (*at != ' ') continue;
    const auto value = static_cast<uint64_t>(number(at + 1));
    switch (++field) {
      case 10:
        values[RANKWISE_NETWORK_RECEIVED_PACKETS] = value;
        break;
      case 11:
        values[RANKWISE_NETWORK_SENT_PACKETS] = value;
        break;
      case 12:
        values[RANKWISE_NETWORK_RETRANSMISSIONS] = value;
        break;
      default:
        break;
    }
  }
}

}  // namespace

void NetworkPorts::open(const char *root) {
  add_verbs(root);
  add_slingshot(root);
  interfaces_ = open_file("/proc/self/net", "dev");
  const uint32_t before = count_;
  add_interfaces(root, true);
  // In containers there may be virtual ones only.
  if (count_ == before) add_interfaces(root, false);
  if (count_ > 0) add_tcp();
}

void NetworkPorts::add_verbs(const char *root) {
  char adapters[longest_path] = "";
  Text(adapters) << root << "/class/infiniband";
  for_each_name(adapters, [&](const char *device) {
    char ports[longest_path] = "";
    Text(ports) << adapters << "/" << device << "/ports";
    for_each_name(ports, [&](const char *name) {
      char directory[longest_path] = "";
      Text(directory) << ports << "/" << name;
      add_port(device, static_cast<uint32_t>(number(name)), RANKWISE_NETWORK_INFINIBAND, directory, list(of_verbs));
    });
  });
}

void NetworkPorts::add_slingshot(const char *root) {
  char adapters[longest_path] = "";
  Text(adapters) << root << "/class/cxi";
  for_each_name(adapters, [&](const char *device) {
    char directory[longest_path] = "";
    Text(directory) << adapters << "/" << device;
    add_port(device, 0, RANKWISE_NETWORK_SLINGSHOT, directory, list(of_slingshot));
  });
}

void NetworkPorts::add_interfaces(const char *root, bool physical) {
  for_each_interface(Snapshot(interfaces_), [&](const Interface &interface) {
    char directory[longest_path] = "";
    Text(directory) << root << "/class/net/" << interface.name;
    // A Slingshot adapter also counts the packets of its interface.
    if (count_ == most_ports || is_in(directory, "device") != physical || is_in(directory, "device/cxi")) return;
    if (equal(interface.name, "lo") || is_counted_elsewhere(directory)) return;
    rankwise_network_port &port = ports_[count_++];
    copy(port.device, interface.name);
    port.kind = RANKWISE_NETWORK_ETHERNET;
    for (const Field &field : of_interfaces) port.present |= bit(field.counter);
  });
}

void NetworkPorts::add_tcp() {
  if (count_ == most_ports) return;
  tcp_ = open_file("/proc/self/net", "snmp");
  if (tcp_ < 0) return;
  rankwise_network_port &port = ports_[count_++];
  copy(port.device, "TCP");
  port.kind = RANKWISE_NETWORK_TCP;
  port.present = bit(RANKWISE_NETWORK_SENT_PACKETS) | bit(RANKWISE_NETWORK_RECEIVED_PACKETS) |
                 bit(RANKWISE_NETWORK_RETRANSMISSIONS);
}

void NetworkPorts::add_port(const char *device, uint32_t number, rankwise_network_kind kind, const char *directory,
                            const Sources &sources) {
  if (count_ == most_ports) return;
  rankwise_network_port &port = ports_[count_];
  for (size_t i = 0; i < sources.count && file_count_ < most_files; ++i) {
    const Source &source = sources.first[i];
    const int file = open_file(directory, source.file);
    if (read_number(file) < 0) {
      close(file);
      continue;
    }
    port.present |= bit(source.counter);
    files_[file_count_++] = {file, static_cast<uint16_t>(count_), static_cast<uint8_t>(source.counter), source.unit};
  }
  if (port.present == 0) return;
  copy(port.device, device);
  port.number = number;
  port.kind = kind;
  ++count_;
}

bool NetworkPorts::is_in(const char *directory, const char *name) {
  char path[longest_path] = "";
  Text(path) << directory << "/" << name;
  return call(SYS_faccessat, AT_FDCWD, path, 0) == 0;
}

void NetworkPorts::read(uint64_t *values, bool rare) const {
  for (uint32_t port = 0; port < count_; ++port) {
    for (uint8_t counter = 0; counter < RANKWISE_NETWORK_COUNTERS; ++counter) {
      if (rare || !is_rare(counter)) values[first_of(port) + counter] = 0;
    }
  }
  for (uint32_t i = 0; i < file_count_; ++i) {
    const File &file = files_[i];
    if (!rare && is_rare(file.counter)) continue;
    const int64_t value = read_number(file.descriptor);
    if (value > 0) {
      values[first_of(file.port) + file.counter] += static_cast<uint64_t>(value) * file.unit;
    }
  }
  for_each_interface(Snapshot(interfaces_), [&](const Interface &interface) {
    for (uint32_t port = 0; port < count_; ++port) {
      if (ports_[port].kind != RANKWISE_NETWORK_ETHERNET || !equal(ports_[port].device, interface.name)) continue;
      uint64_t *const own = values + first_of(port);
      for (const Field &field : of_interfaces) {
        if (rare || !is_rare(field.counter)) own[field.counter] += interface.numbers[field.number];
      }
    }
  });
  if (tcp_ >= 0) read_tcp(Snapshot(tcp_), values + first_of(count_ - 1));
}

}  // namespace rankwise::keeper
