#include "adapters.h"

#include <dirent.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "counters_file.h"
#include "kernel_files.h"

namespace rankwise::adapters {
namespace {

using kernel_files::Path;
using kernel_files::Text;

rankwise_adapter_port ports[RANKWISE_MOST_ADAPTER_PORTS];
std::uint32_t port_count = 0;

constexpr const char *choices[] = {
    "UCX_NET_DEVICES", "OMPI_MCA_btl_openib_if_include", "MV2_IBA_HCA", "PSM3_NIC", "HFI_UNIT",
};
constexpr std::uint32_t choice_count = sizeof choices / sizeof *choices;

// A line from the kernel, truncated if it is too long.
template <std::size_t bytes>
void copy(char (&to)[bytes], const Text &from) {
  snprintf(to, bytes, "%.*s", static_cast<int>(strcspn(from.text, "\n")), from.text);
}

// 64 bits in the kernel's notation: 0002:c903:00a1:b2c4. Returns their end, nullptr if they are invalid.
const char *read_groups(const char *text, std::uint64_t *value) {
  *value = 0;
  for (int place = 0; place < 19; ++place, ++text) {
    if (place % 5 == 4) {
      if (*text != ':') return nullptr;
      continue;
    }
    const char *const digits = "0123456789abcdef";
    const char *digit = *text != '\0' ? strchr(digits, *text) : nullptr;
    if (digit == nullptr) return nullptr;
    *value = *value << 4 | static_cast<std::uint64_t>(digit - digits);
  }
  return text;
}

// A LID, such as 0x1a; 0 if it is invalid.
std::uint32_t read_lid(const Text &from) {
  char *end = nullptr;
  const unsigned long value = std::strtoul(from.text, &end, 16);
  return end == from.text || value > UINT32_MAX ? 0 : static_cast<std::uint32_t>(value);
}

void read_port(const char *device, long number, const Text &node_guid, const Text &description) {
  const Text gid(Path("/class/infiniband/%.31s/ports/%ld/gids/0", device, number));
  std::uint64_t prefix = 0;
  std::uint64_t guid = 0;
  const char *end = read_groups(gid.text, &prefix);
  if (end == nullptr || *end != ':' || read_groups(end + 1, &guid) == nullptr || guid == 0) return;
  rankwise_adapter_port &port = ports[port_count++];
  snprintf(port.device, sizeof port.device, "%.31s", device);
  copy(port.description, description);
  if (read_groups(node_guid.text, &port.node_guid) == nullptr) port.node_guid = 0;
  port.port_guid = guid;
  port.subnet_prefix = prefix;
  port.number = static_cast<std::uint32_t>(number);
  port.lid = read_lid(Text(Path("/class/infiniband/%.31s/ports/%ld/lid", device, number)));
  port.sm_lid = read_lid(Text(Path("/class/infiniband/%.31s/ports/%ld/sm_lid", device, number)));
  const int mask = Text(Path("/class/infiniband/%.31s/ports/%ld/lid_mask_count", device, number)).number();
  port.lid_mask_count = mask > 0 ? static_cast<std::uint32_t>(mask) : 0;
  const int state = Text(Path("/class/infiniband/%.31s/ports/%ld/state", device, number)).number();
  port.state = state > 0 ? static_cast<std::uint32_t>(state) : 0;
  copy(port.rate, Text(Path("/class/infiniband/%.31s/ports/%ld/rate", device, number)));
  copy(port.link_layer, Text(Path("/class/infiniband/%.31s/ports/%ld/link_layer", device, number)));
}

void read_adapter(const char *device) {
  DIR *entries = opendir(Path("/class/infiniband/%.31s/ports", device).text);
  if (entries == nullptr) return;
  const Text node_guid(Path("/class/infiniband/%.31s/node_guid", device));
  const Text description(Path("/class/infiniband/%.31s/node_desc", device));
  while (const dirent *entry = readdir(entries)) {
    const long number = std::strtol(entry->d_name, nullptr, 10);
    if (port_count == RANKWISE_MOST_ADAPTER_PORTS) break;
    if (number > 0 && number < 256) read_port(device, number, node_guid, description);
  }
  closedir(entries);
}

}  // namespace

void record() {
  DIR *entries = opendir(Path("/class/infiniband").text);
  if (entries == nullptr) return;
  while (const dirent *entry = readdir(entries)) {
    if (entry->d_name[0] != '.') read_adapter(entry->d_name);
  }
  closedir(entries);
  counters_file::add_records(RANKWISE_SECTION_ADAPTER_PORTS, ports, port_count);
}

void record_choices() {
  rankwise_rail_choice found[choice_count] = {};
  std::uint32_t count = 0;
  for (const char *variable : choices) {
    const char *value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    snprintf(found[count].variable, sizeof found->variable, "%s", variable);
    snprintf(found[count].value, sizeof found->value, "%s", value);
    ++count;
  }
  counters_file::add_records(RANKWISE_SECTION_RAIL_CHOICES, found, count);
}

}  // namespace rankwise::adapters
