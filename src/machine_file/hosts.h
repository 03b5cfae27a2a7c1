// Lists of hosts as Slurm writes them: `node[01-16,20]`, `a[1-2]b[3-4]`, `login1,login2`.
#ifndef RANKWISE_MACHINE_FILE_HOSTS_H
#define RANKWISE_MACHINE_FILE_HOSTS_H

#include <string>
#include <vector>

#include "field.h"

namespace rankwise::machine_file {

// The names, those of each word in ascending order.
std::vector<std::string> hosts_of(const Field &list);

}  // namespace rankwise::machine_file

#endif
