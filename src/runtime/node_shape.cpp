#include "node_shape.h"

#include <dirent.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "counters_file.h"
#include "kernel_files.h"

namespace rankwise::node_shape {
namespace {

using kernel_files::Path;
using kernel_files::Text;

constexpr int most = RANKWISE_MOST_CPUS;

// A list of processors in the kernel's notation: 0-3,8.
template <typename What>
void for_each(const Text &list, What what) {
  for (const char *at = list.text; *at >= '0' && *at <= '9';) {
    char *end = nullptr;
    const long first = std::strtol(at, &end, 10);
    const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
    for (long one = first; one <= last && one < most; ++one) what(static_cast<int>(one));
    at = *end == ',' ? end + 1 : end;
  }
}

struct Shape {
  std::int16_t place[most];  // of a processor in `all`, plus 1; 0 = it is not online
  rankwise_processor all[most];
  int count;

  rankwise_processor *find(int os) { return place[os] == 0 ? nullptr : &all[place[os] - 1]; }

  // Assigns this number to each processor of a list that has none yet.
  void give(const Text &list, std::int32_t rankwise_processor::*member, int number) {
    for_each(list, [&](int os) {
      rankwise_processor *one = find(os);
      if (one != nullptr && one->*member < 0) one->*member = number;
    });
  }
};

Shape shape;

void read_inside(rankwise_processor &one) {
  if (one.package < 0) {
    const int package = Text(Path("/devices/system/cpu/cpu%d/topology/physical_package_id", one.os)).number();
    one.package = package;
    const Text siblings(Path("/devices/system/cpu/cpu%d/topology/core_siblings_list", one.os));
    if (package >= 0) shape.give(siblings, &rankwise_processor::package, package);
  }
  if (one.core < 0) {
    one.core = one.os;
    shape.give(Text(Path("/devices/system/cpu/cpu%d/topology/thread_siblings_list", one.os)), &rankwise_processor::core,
               one.os);
  }
  for (int index = 0; one.l3 < 0 && index < 8; ++index) {
    const int level = Text(Path("/devices/system/cpu/cpu%d/cache/index%d/level", one.os, index)).number();
    if (level < 0) break;
    if (level != 3) continue;
    one.l3 = one.os;
    const Text shared(Path("/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", one.os, index));
    shape.give(shared, &rankwise_processor::l3, one.os);
    // (The kernel always uses KiB.)
    const int size = Text(Path("/devices/system/cpu/cpu%d/cache/index%d/size", one.os, index)).number();
    for_each(shared, [&](int os) {
      if (rankwise_processor *sharing = shape.find(os)) sharing->l3_kib = size > 0 ? static_cast<unsigned>(size) : 0;
    });
  }
}

// If all cores are of one kind, there are no such files.
void give_kind(const char *name, rankwise_core_kind kind) {
  for_each(Text(Path("/devices/%s/cpus", name)), [kind](int os) {
    if (rankwise_processor *one = shape.find(os)) one->kind = kind;
  });
}

void read_processors() {
  for_each(Text(Path("/devices/system/cpu/online")), [](int os) {
    shape.all[shape.count] = {os, -1, -1, -1, -1, 0, RANKWISE_CORE_ANY, 0};
    shape.place[os] = static_cast<std::int16_t>(++shape.count);
  });
  for_each(Text(Path("/devices/system/node/online")), [](int node) {
    shape.give(Text(Path("/devices/system/node/node%d/cpulist", node)), &rankwise_processor::numa, node);
  });
  for (int i = 0; i < shape.count; ++i) read_inside(shape.all[i]);
  give_kind("cpu_core", RANKWISE_CORE_PERFORMANCE);
  give_kind("cpu_atom", RANKWISE_CORE_EFFICIENCY);
}

rankwise_processor *recorded = nullptr;  // in the counters; null = this process does not measure its node
std::uint64_t busy_at_start[most];       // by processor, in 100ths of a second

// Time used on each processor by any process, also by the hypervisor; 0 = the kernel does not report it.
void read_busy(std::uint64_t (&busy)[most]) {
  FILE *stat = fopen("/proc/stat", "re");
  if (stat == nullptr) return;
  char line[512];
  while (fgets(line, sizeof line, stat) != nullptr && strncmp(line, "cpu", 3) == 0) {
    if (line[3] == ' ') continue;  // all of them together
    char *at = nullptr;
    const unsigned long os = std::strtoul(line + 3, &at, 10);
    if (os >= most) continue;
    // user nice system idle iowait irq softirq steal guest guest_nice: the last two are in the first two
    for (int field = 0; field < 8; ++field) {
      const std::uint64_t ticks = std::strtoul(at, &at, 10);
      if (field != 3 && field != 4) busy[os] += ticks;
    }
  }
  fclose(stat);
}

rankwise_device devices[RANKWISE_MOST_DEVICES];
std::uint32_t device_count = 0;

bool is_wanted(const char *directory, const char *name) {
  if (name[0] == '.') return false;
  // The connectors and second names of a graphics card are separate entries.
  if (strcmp(directory, "/class/drm") == 0) return strncmp(name, "card", 4) == 0 && strchr(name, '-') == nullptr;
  return true;
}

// The devices of one class. Those without a `device` are no hardware.
void read_devices(const char *directory, const char *link, rankwise_device_kind kind) {
  DIR *entries = opendir(Path("%s", directory).text);
  if (entries == nullptr) return;
  while (const dirent *entry = readdir(entries)) {
    if (!is_wanted(directory, entry->d_name) || device_count == RANKWISE_MOST_DEVICES) continue;
    const Text node(Path("%s/%.40s%s/numa_node", directory, entry->d_name, link));
    if (node.text[0] == '\0') continue;
    rankwise_device &device = devices[device_count++];
    snprintf(device.name, sizeof device.name, "%s", entry->d_name);
    device.kind = kind;
    device.numa = node.number();
  }
  closedir(entries);
}

void record_kernel() {
  utsname names{};
  if (uname(&names) != 0) return;
  rankwise_kernel kernel{};
  snprintf(kernel.release, sizeof kernel.release, "%s", names.release);
  counters_file::add_records(RANKWISE_SECTION_KERNELS, &kernel, 1);
}

}  // namespace

void record() {
  read_processors();
  read_devices("/class/infiniband", "/device", RANKWISE_DEVICE_NETWORK);
  const std::uint32_t fast = device_count;
  // The Ethernet side of such a card is not listed twice.
  if (fast == 0) read_devices("/class/net", "/device", RANKWISE_DEVICE_NETWORK);
  read_devices("/class/drm", "/device", RANKWISE_DEVICE_GPU);
  // On compute nodes without graphics, the driver lists the devices.
  if (device_count == fast || fast == 0) read_devices("/bus/pci/drivers/nvidia", "", RANKWISE_DEVICE_GPU);
  recorded =
      counters_file::add_records(RANKWISE_SECTION_PROCESSORS, shape.all, static_cast<std::uint32_t>(shape.count));
  counters_file::add_records(RANKWISE_SECTION_DEVICES, devices, device_count);
  record_kernel();
}

void start_counting() {
  if (recorded != nullptr) read_busy(busy_at_start);
}

void stop_counting() {
  if (recorded == nullptr) return;
  static std::uint64_t busy[most];
  memset(busy, 0, sizeof busy);
  read_busy(busy);
  for (int i = 0; i < shape.count; ++i) {
    const int os = recorded[i].os;
    const std::uint64_t before = busy_at_start[os];
    if (before == 0 || busy[os] < before || busy[os] - before >= UINT32_MAX) continue;
    recorded[i].busy_ticks = static_cast<std::uint32_t>(busy[os] - before + 1);
  }
}

}  // namespace rankwise::node_shape
