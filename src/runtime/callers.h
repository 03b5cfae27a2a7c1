// Identifies the caller of a call that is made inside another one: the program, from one of its callbacks, or the MPI
// library or a tool that carries out the other call.
#ifndef RANKWISE_CALLERS_H
#define RANKWISE_CALLERS_H

#include <cstddef>
#include <cstdint>

#include "frame_rules.h"

namespace rankwise {

// A thread's knowledge of return addresses.
class Callers {
 public:
  // Whether the call is the program's. Bindings, and functions of tools with the name of an MPI procedure, forward
  // calls of others: then their caller counts.
  bool is_program(frames::Frame call);

  // The same by the return address alone: false only if it can't be the program's.
  bool may_be_program(std::uintptr_t address) { return look(address).maker != Maker::other; }

  // The loader has removed objects: others may reuse their addresses.
  static void forget();

 private:
  enum class Maker : std::uint8_t { program, hands_on, other };
  struct Place {
    std::uintptr_t address = 0;
    unsigned generation = 0;
    Maker maker = Maker::other;
    frames::Rule rule;
  };
  struct Search;
  static int look_at(dl_phdr_info *info, std::size_t bytes, void *wanted);
  static Place learn(std::uintptr_t address);
  const Place &look(std::uintptr_t address);

  static constexpr unsigned bits = 6;
  Place places_[1U << bits];  // by address; a newer one replaces an older one
};

}  // namespace rankwise

#endif
