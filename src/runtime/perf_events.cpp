#include "perf_events.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rankwise::perf_events {
namespace {

// struct perf_event_attr in its first version (PERF_ATTR_SIZE_VER0): the struct in old headers lacks later members.
struct Attributes {
  std::uint32_t type;
  std::uint32_t size;
  std::uint64_t config;
  std::uint64_t sample_period;
  std::uint64_t sample_type;
  std::uint64_t read_format;
  std::uint64_t flags;
  std::uint32_t wakeup_events;
  std::uint32_t breakpoint_type;
  std::uint64_t breakpoint_address;
};
static_assert(sizeof(Attributes) == 64);

constexpr std::uint64_t inherit = 1U << 1;
constexpr std::uint64_t exclude_kernel = 1U << 5;
constexpr std::uint64_t exclude_hypervisor = 1U << 6;
constexpr std::uint64_t inherit_thread = 1ULL << 35;             // threads, but no child processes: Linux 5.13
constexpr std::uint64_t times = 3;                               // PERF_FORMAT_TOTAL_TIME_ENABLED, _RUNNING
constexpr unsigned long close_on_exec = 8;                       // PERF_FLAG_FD_CLOEXEC
constexpr unsigned long ask_id = _IOR('$', 7, std::uint64_t *);  // PERF_EVENT_IOC_ID

int open_event(Attributes *attributes) {
  return static_cast<int>(syscall(SYS_perf_event_open, attributes, 0, -1, -1, close_on_exec));
}

#if defined(__x86_64__)
struct Processor {
  unsigned vendor;  // EBX of CPUID 0: the first four letters
  unsigned family;
  unsigned model;
};

Processor processor() {
  Processor found{};
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0, &eax, &found.vendor, &ecx, &edx) == 0 || __get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return {};
  found.family = (eax >> 8) & 0xf;
  found.model = (eax >> 4) & 0xf;
  if (found.family == 0xf) found.family += (eax >> 20) & 0xff;
  if (found.family >= 6) found.model += ((eax >> 16) & 0xf) << 4;
  return found;
}

constexpr unsigned intel = 0x756e6547;  // "Genu"
constexpr unsigned amd = 0x68747541;    // "Auth"

// Broadwell to Granite Rapids, without hybrid processors.
bool has_fp_arith(unsigned model) {
  constexpr unsigned models[] = {0x3d, 0x47, 0x4f, 0x56, 0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, 0x6a,
                                 0x6c, 0x7d, 0x7e, 0x9d, 0x8c, 0x8d, 0xa7, 0x8f, 0xcf, 0xad, 0xae};
  for (const unsigned one : models) {
    if (one == model) return true;
  }
  return false;
}
#endif

}  // namespace

List floating_point_operations() {
#if defined(__x86_64__)
  const Processor found = processor();
  if (found.vendor == intel && found.family == 6 && has_fp_arith(found.model)) {
    // FP_ARITH_INST_RETIRED: one event for each width. A fused multiply-add counts twice in it.
    return {5, {{raw, 0x03c7, 1}, {raw, 0x04c7, 2}, {raw, 0x18c7, 4}, {raw, 0x60c7, 8}, {raw, 0x80c7, 16}}};
  }
  // FpRetSseAvxOps: operations, regardless of the width.
  if (found.vendor == amd && found.family == 0x17) return {1, {{raw, 0xff03, 1}}};
  if (found.vendor == amd && (found.family == 0x19 || found.family == 0x1a)) return {1, {{raw, 0x0f03, 1}}};
#endif
  return {0, {}};
}

int Event::open(const What &what) {
  Attributes attributes{};
  attributes.type = what.type;
  attributes.size = sizeof attributes;
  attributes.config = what.config;
  attributes.read_format = times;
  const std::uint64_t common = what.type == software ? inherit : inherit | exclude_kernel | exclude_hypervisor;
  attributes.flags = common | inherit_thread;
  file_ = open_event(&attributes);
  if (file_ < 0 && errno == EINVAL) {
    attributes.flags = common;
    file_ = open_event(&attributes);
  }
  if (file_ < 0) return errno;
  weight_ = what.weight;
  return ioctl(file_, ask_id, &id_) == 0 ? 0 : errno;
}

// Some programs close every descriptor; reading from a reused number could take a message away.
bool Event::is_still_ours() const {
  std::uint64_t id = 0;
  return ioctl(file_, ask_id, &id) == 0 && id == id_;
}

bool Event::read(Reading *since) {
  Reading now{};
  if (!is_still_ours() || ::read(file_, &now, sizeof now) != sizeof now) return false;
  *since = {now.value - last_.value, now.enabled_ns - last_.enabled_ns, now.running_ns - last_.running_ns};
  // If it had no place in the processor, its counts belong to the next reading.
  if (since->running_ns > 0 || since->enabled_ns == 0) last_ = now;
  return true;
}

}  // namespace rankwise::perf_events
