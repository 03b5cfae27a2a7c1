// Who makes a call while the thread is inside of another one: the program, from one of its callbacks, or somebody who
// carries out that other one, the MPI library or a tool.
#ifndef RANKWISE_CALLERS_H
#define RANKWISE_CALLERS_H

#include <cstddef>
#include <cstdint>

#include "frame_rules.h"

namespace rankwise {

// What a thread knows of return addresses.
class Callers {
 public:
  // Whether the call is the program's. Bindings, and functions of tools that have the name of an MPI procedure, hand on
  // what is called by others: then it is asked who has called them.
  bool is_program(frames::Frame call);

  // The same by the return address alone: false only if it can't be the program's.
  bool may_be_program(std::uintptr_t address) { return look(address).maker != Maker::other; }

  // The loader has taken objects away: others may come to where they were.
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
  Place places_[1U << bits];  // by address; a newer one takes the place of an older one
};

}  // namespace rankwise

#endif
