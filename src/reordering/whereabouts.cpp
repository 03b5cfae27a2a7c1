#include <sched.h>

#include <cstdlib>
#include <cstring>

#include "../runtime/find_order.h"
#include "../runtime/host.h"
#include "processors.h"

namespace rankwise::reordering {
namespace {

constexpr int most_processors = 64 * RANKWISE_PROCESSOR_WORDS;

// The processors that this thread may use. None if the kernel does not report them, or reports higher numbers.
void read_processors(rankwise_whereabouts &here) {
  constexpr int most = 1 << 16;
  constexpr std::size_t bytes = CPU_ALLOC_SIZE(most);
  cpu_set_t allowed[bytes / sizeof(cpu_set_t)] = {};
  if (sched_getaffinity(0, bytes, allowed) == 0) {
    int known = 0;
    for (int processor = 0; processor < most_processors; ++processor) {
      if (!CPU_ISSET_S(static_cast<std::size_t>(processor), bytes, allowed)) continue;
      here.processors[processor / 64] |= std::uint64_t{1} << (processor % 64);
      ++known;
    }
    if (known != CPU_COUNT_S(bytes, allowed)) memset(here.processors, 0, sizeof here.processors);
  }
}

// The objects that contain all its processors.
class Common {
 public:
  void add(std::int32_t number) {
    if (none_) value_ = number;
    if (value_ != number) value_ = -1;
    none_ = false;
  }
  std::int32_t value() const { return value_; }
  bool several() const { return !none_ && value_ < 0; }

 private:
  bool none_ = true;
  std::int32_t value_ = -1;
};

}  // namespace

rankwise_whereabouts whereabouts() {
  rankwise_whereabouts here{};
  host_name(here.host);
  read_processors(here);
  Common package;
  Common numa;
  Common l3;
  Common core;
  for (int processor = 0; processor < most_processors; ++processor) {
    if ((here.processors[processor / 64] >> (processor % 64) & 1U) == 0) continue;
    // Unbound processes have hundreds of processors, and each needs four files.
    if (package.several() && numa.several() && l3.several() && core.several()) break;
    const Surroundings around = surroundings_of(processor);
    package.add(around.package);
    numa.add(around.numa);
    l3.add(around.l3);
    core.add(around.core);
  }
  here.package = package.value();
  here.numa = numa.value();
  here.l3 = l3.value();
  here.core = core.value();
  return here;
}

}  // namespace rankwise::reordering
