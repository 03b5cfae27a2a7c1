// The MPI library of a program that links both it and Rankwise statically, without a loader. Each stub pulls in its
// PMPI_ function (stub.inc); weak references detect further functions.
#include "../dispatch/library.h"

#include <cstring>

#include "../abi/openmpi_variables.h"
#include "../dispatch/choice.h"
#include "../hooks/slot_names.h"
#include "../wrappers/asked.h"

extern "C" {
// functions.S: the PMPI_ function of each slot, nullptr if it is not in the program.
extern void *const rankwise_functions[];

#define RANKWISE_QUERY(name) void PMPI_##name();
RANKWISE_QUERIES(RANKWISE_QUERY)
#undef RANKWISE_QUERY
// Without it the program can't have made a communicator from a session.
[[gnu::weak]] void PMPI_Group_from_session_pset();

#define RANKWISE_CONSTANT(ours, type, name) [[gnu::weak]] extern char name[];
#define RANKWISE_VARIABLE(name) [[gnu::weak]] extern char name[];
RANKWISE_OPENMPI_CONSTANTS(RANKWISE_CONSTANT)
RANKWISE_OPENMPI_DATATYPES(RANKWISE_VARIABLE)
RANKWISE_OPENMPI_EXACT_OPERATIONS(RANKWISE_VARIABLE)
RANKWISE_OPENMPI_WHOLE_NUMBERS(RANKWISE_VARIABLE)
#undef RANKWISE_VARIABLE
#undef RANKWISE_CONSTANT
}

namespace rankwise::library {

namespace {

struct Named {
  const char *name;
  void *address;
};

// RATIONALE: filled in when the program is linked or loaded; a missing weak reference leaves it empty.
const Named named_functions[] = {
#define RANKWISE_QUERY(name) {"PMPI_" #name, reinterpret_cast<void *>(&PMPI_##name)},
    RANKWISE_QUERIES(RANKWISE_QUERY)
#undef RANKWISE_QUERY
        {"PMPI_Group_from_session_pset", reinterpret_cast<void *>(&PMPI_Group_from_session_pset)},
};

const Named named_variables[] = {
#define RANKWISE_CONSTANT(ours, type, name) {#name, name},
#define RANKWISE_VARIABLE(name) {#name, name},
    RANKWISE_OPENMPI_CONSTANTS(RANKWISE_CONSTANT) RANKWISE_OPENMPI_DATATYPES(RANKWISE_VARIABLE)
        RANKWISE_OPENMPI_EXACT_OPERATIONS(RANKWISE_VARIABLE) RANKWISE_OPENMPI_WHOLE_NUMBERS(RANKWISE_VARIABLE)
#undef RANKWISE_VARIABLE
#undef RANKWISE_CONSTANT
};

template <std::size_t count>
void *find(const Named (&all)[count], const char *name) {
  for (const Named &one : all) {
    if (strcmp(one.name, name) == 0) return one.address;
  }
  return nullptr;
}

}  // namespace

// Nothing marks the standard ABI here, so it is not available.
rankwise_abi abi() {
  const bool openmpi = variable("ompi_mpi_comm_world") != nullptr;
  return asked_for({openmpi ? RANKWISE_ABI_OPENMPI : RANKWISE_ABI_MPICH, true});
}

// The library is a part of the program, and so are its bindings and components.
bool is_mpi_library(const char * /*path*/) { return false; }
bool is_component(const char * /*path*/) { return false; }
bool belongs_to_mpi(const char * /*path*/) { return false; }

void *function(const char *name) {
  const int slot = slot_named(name + 1);  // after the P
  return slot >= 0 ? rankwise_functions[slot] : find(named_functions, name);
}

void *variable(const char *name) { return find(named_variables, name); }

void *find_next(Slot slot) {
  void *found = rankwise_functions[static_cast<int>(slot)];
  __atomic_store_n(&next_functions[static_cast<int>(slot)], found, __ATOMIC_RELAXED);
  return found;
}

}  // namespace rankwise::library
