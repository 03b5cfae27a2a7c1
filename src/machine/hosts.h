// Lists of hosts in Slurm's notation: `node[01-16,20]`, `a[1-2]b[3-4]`, `login1,login2`.
#ifndef RANKWISE_MACHINE_HOSTS_H
#define RANKWISE_MACHINE_HOSTS_H

#include <string>
#include <vector>

namespace rankwise::machine {

// As rankwise_read_hosts of include/rankwise/machine.h; a Problem if it is no such list.
std::vector<std::string> hosts_of(const std::string &list);

}  // namespace rankwise::machine

#endif
