// The programs and libraries that contain return addresses, and their records in the counters file.
#ifndef RANKWISE_OBJECTS_H
#define RANKWISE_OBJECTS_H

#include <cstdint>

#include "format.h"
#include "frame_rules.h"

namespace rankwise::objects {

// The role of an object in the search for the origin of a call.
enum class Role : std::uint8_t {
  none,  // not code of an object
  ordinary,
  binding,    // belongs to the MPI library, or is the library itself
  extension,  // module of Python
  interpreter,
  start,  // the C library, which runs main() and the functions of threads
};

// The location of an address.
struct Where {
  Role role = Role::none;
  std::uint64_t offset = 0;  // from where the object is loaded
  frames::Rule rule;         // of the call that returns to it
  rankwise_object object{};
};

// Asks the loader.
//
// RATIONALE: call without our locks: a thread that holds the loader's lock might wait for ours.
Where find(std::uintptr_t address);

// Index of the object's record, created if it is new; false if there is no room for it.
bool index_of(const rankwise_object &object, std::uint32_t &index);

// The object of a file of Python.
rankwise_object of_python(const char *source);

}  // namespace rankwise::objects

#endif
