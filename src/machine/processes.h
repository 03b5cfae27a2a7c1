// Finds the node and the slot of each process in a machine.
#ifndef RANKWISE_MACHINE_PROCESSES_H
#define RANKWISE_MACHINE_PROCESSES_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "rankwise/machine.h"

namespace rankwise::machine {

// One line that names the process without a place in the machine; `code` as in include/rankwise/machine.h.
struct Misplaced : std::runtime_error {
  Misplaced(int why, const std::string &problem) : std::runtime_error(problem), code(why) {}
  int code;
};

struct Found {
  std::vector<std::int32_t> slot;  // of each process
  std::int32_t bound;              // processes that were bound to some of their node's processors
};

std::vector<std::int32_t> nodes_of(const rankwise_machine &machine, const rankwise_processes &processes);
Found slots_of(const rankwise_machine &machine, const rankwise_processes &processes);

}  // namespace rankwise::machine

#endif
