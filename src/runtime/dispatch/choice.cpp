#include "choice.h"

#include <cstdlib>
#include <cstring>

#include "../report.h"

namespace rankwise::library {

namespace {

struct Choice {
  const char *name;
  rankwise_abi abi;
};
constexpr Choice choices[] = {
    {"openmpi", RANKWISE_ABI_OPENMPI}, {"mpich", RANKWISE_ABI_MPICH}, {"mpiabi", RANKWISE_ABI_MPIABI}};

}  // namespace

rankwise_abi asked_for(Seen seen) {
  const char *name = std::getenv("RANKWISE_MPI");
  if (name == nullptr || *name == '\0') return seen.abi;
  const char *seen_name = "";
  for (const Choice &choice : choices) {
    const bool asked = strcmp(name, choice.name) == 0;
    if (asked && (choice.abi == seen.abi || !seen.certain)) return choice.abi;
    if (choice.abi == seen.abi) seen_name = choice.name;
  }
  say_once("the MPI library is of kind %s, not %s: leave --mpi out", seen_name, name);
  return seen.abi;
}

}  // namespace rankwise::library
