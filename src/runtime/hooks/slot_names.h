// Maps the name of an MPI function to its slot.
#ifndef RANKWISE_HOOKS_SLOT_NAMES_H
#define RANKWISE_HOOKS_SLOT_NAMES_H

#include <cstdint>
#include <cstring>

#include "../generated/procedures.h"
#include "../world_order.h"

namespace rankwise {

// Open addressing, linear probing; computed when the library is compiled.
struct SlotNames {
  static constexpr unsigned bits = 11;
  static constexpr unsigned places = 1U << bits;
  static_assert(static_cast<unsigned>(Slot::count) * 2 < places);

  std::uint16_t slots[places] = {};  // slot + 1, 0 = free

  static constexpr unsigned place_of(const char *name) {
    std::uint32_t hash = 2166136261U;  // FNV-1a
    for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619U;
    return (hash ^ (hash >> 16)) % places;
  }

  constexpr SlotNames() {
    for (unsigned i = 0; i < static_cast<unsigned>(Slot::count); ++i) {
      unsigned place = place_of(slot_facts[i].name);
      while (slots[place] != 0) place = (place + 1) % places;
      slots[place] = static_cast<std::uint16_t>(i + 1);
    }
  }
};

inline constexpr SlotNames slot_names;

// Whether a function of this name belongs to MPI, or is an MPI library's own (MPIX_).
inline bool is_mpi_name(const char *name) {
  return strncmp(name, "MPI", 3) == 0 && (name[3] == '_' || (name[3] == 'X' && name[4] == '_'));
}

// Slot of "MPI_X", -1 if the name is unknown, or its calls do not concern us.
inline int slot_named(const char *name) {
  for (unsigned place = SlotNames::place_of(name); slot_names.slots[place] != 0;
       place = (place + 1) % SlotNames::places) {
    const int slot = slot_names.slots[place] - 1;
    if (strcmp(slot_facts[slot].name, name) == 0) return slot < recorded_slots || world_order::wanted ? slot : -1;
  }
  return -1;
}

}  // namespace rankwise

#endif
