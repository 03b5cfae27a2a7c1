// Keys of rows, as laid out in format.h, and size bins.
#ifndef RANKWISE_KEYS_H
#define RANKWISE_KEYS_H

#include <cstdint>

#include "format.h"
#include "generated/procedures.h"

namespace rankwise::keys {

constexpr std::uint64_t field(std::uint64_t value, int shift, int bits) {
  return (value & ((std::uint64_t{1} << bits) - 1)) << shift;
}

// One bit more than the width of the bytes, so that 0 needs no branch. (No size has all 64 bits.)
constexpr std::uint64_t bin(std::uint64_t bytes) {
  return 63U - static_cast<unsigned>(__builtin_clzll((bytes << 1) | 1));
}
static_assert(bin(0) == 0 && bin(1) == 1 && bin(2) == 2 && bin(3) == 2 && bin(4) == 3 && bin(~0ULL >> 1) == 63);

// The place of a call in the program: its region and its call site.
[[gnu::always_inline]] constexpr std::uint64_t place(std::uint32_t region, std::uint32_t site) {
  return field(region, RANKWISE_CALLS_REGION_SHIFT, RANKWISE_CALLS_REGION_BITS) |
         field(site, RANKWISE_CALLS_SITE_SHIFT, RANKWISE_CALLS_SITE_BITS);
}

[[gnu::always_inline]] constexpr std::uint64_t calls(Procedure procedure, std::uint32_t communicator,
                                                     std::uint32_t region, std::uint32_t site = RANKWISE_SITE_UNKNOWN) {
  return field(static_cast<std::uint64_t>(procedure), RANKWISE_CALLS_PROCEDURE_SHIFT, RANKWISE_CALLS_PROCEDURE_BITS) |
         field(communicator, RANKWISE_CALLS_COMMUNICATOR_SHIFT, RANKWISE_CALLS_COMMUNICATOR_BITS) | place(region, site);
}

constexpr std::uint64_t with_bin(std::uint64_t key, std::uint64_t bin_number) {
  return (key & ~field(~0ULL, RANKWISE_CALLS_BIN_SHIFT, RANKWISE_CALLS_BIN_BITS)) |
         field(bin_number, RANKWISE_CALLS_BIN_SHIFT, RANKWISE_CALLS_BIN_BITS);
}

constexpr std::uint32_t site(std::uint64_t key) {
  return static_cast<std::uint32_t>(key >> RANKWISE_CALLS_SITE_SHIFT) & ((1U << RANKWISE_CALLS_SITE_BITS) - 1);
}

constexpr bool has_site(std::uint64_t key) {
  return (key & field(~0ULL, RANKWISE_CALLS_SITE_SHIFT, RANKWISE_CALLS_SITE_BITS)) != 0;
}

constexpr std::uint64_t without_site(std::uint64_t key) {
  return key & ~field(~0ULL, RANKWISE_CALLS_SITE_SHIFT, RANKWISE_CALLS_SITE_BITS);
}

// The key that a persistent request keeps is the key of its initialisation, at the place of its latest start, with this
// bit if MPI_Startall started it.
constexpr std::uint64_t by_startall = std::uint64_t{1} << 63;
static_assert(RANKWISE_CALLS_SITE_SHIFT + RANKWISE_CALLS_SITE_BITS == 63);

constexpr std::uint64_t started(std::uint64_t key, std::uint64_t place_of_start, Procedure procedure) {
  constexpr std::uint64_t no_place = ~(by_startall | place(~0U, ~0U));
  return (key & no_place) | place_of_start | (procedure == Procedure::MPI_Startall ? by_startall : 0);
}

// The row on which its start books bytes, with the size of the operation.
constexpr std::uint64_t of_start(std::uint64_t key) {
  const Procedure by = (key & by_startall) != 0 ? Procedure::MPI_Startall : Procedure::MPI_Start;
  constexpr std::uint64_t no_procedure =
      ~(by_startall | field(~0ULL, RANKWISE_CALLS_PROCEDURE_SHIFT, RANKWISE_CALLS_PROCEDURE_BITS));
  return (key & no_procedure) |
         field(static_cast<std::uint64_t>(by), RANKWISE_CALLS_PROCEDURE_SHIFT, RANKWISE_CALLS_PROCEDURE_BITS);
}

constexpr std::uint64_t size_bin(std::uint64_t key) {
  return key & ((std::uint64_t{1} << RANKWISE_CALLS_BIN_BITS) - 1);
}

constexpr Procedure procedure(std::uint64_t key) {
  return static_cast<Procedure>((key >> RANKWISE_CALLS_PROCEDURE_SHIFT) &
                                ((std::uint64_t{1} << RANKWISE_CALLS_PROCEDURE_BITS) - 1));
}

constexpr std::uint32_t communicator(std::uint64_t key) {
  return static_cast<std::uint32_t>(key >> RANKWISE_CALLS_COMMUNICATOR_SHIFT) &
         ((1U << RANKWISE_CALLS_COMMUNICATOR_BITS) - 1);
}

// The row for a call whose own row found no room: only the procedure is kept.
constexpr std::uint64_t other_calls(std::uint64_t key) {
  return with_bin((key & field(~0ULL, RANKWISE_CALLS_PROCEDURE_SHIFT, RANKWISE_CALLS_PROCEDURE_BITS)) |
                      calls(Procedure::none, RANKWISE_COMMUNICATOR_OTHER, RANKWISE_REGION_OTHER),
                  RANKWISE_BIN_OTHER);
}

constexpr std::uint64_t messages(rankwise_message_kind kind, Procedure procedure, std::uint32_t communicator,
                                 std::uint32_t peer) {
  return field(peer, RANKWISE_MESSAGES_PEER_SHIFT, RANKWISE_MESSAGES_PEER_BITS) |
         field(static_cast<std::uint64_t>(procedure), RANKWISE_MESSAGES_PROCEDURE_SHIFT,
               RANKWISE_MESSAGES_PROCEDURE_BITS) |
         field(communicator, RANKWISE_MESSAGES_COMMUNICATOR_SHIFT, RANKWISE_MESSAGES_COMMUNICATOR_BITS) |
         field(kind, RANKWISE_MESSAGES_KIND_SHIFT, RANKWISE_MESSAGES_KIND_BITS);
}

constexpr std::uint64_t part(std::uint64_t key, int shift, int bits) {
  return (key >> shift) & ((std::uint64_t{1} << bits) - 1);
}
constexpr rankwise_message_kind message_kind(std::uint64_t key) {
  return static_cast<rankwise_message_kind>(part(key, RANKWISE_MESSAGES_KIND_SHIFT, RANKWISE_MESSAGES_KIND_BITS));
}
constexpr Procedure message_procedure(std::uint64_t key) {
  return static_cast<Procedure>(part(key, RANKWISE_MESSAGES_PROCEDURE_SHIFT, RANKWISE_MESSAGES_PROCEDURE_BITS));
}
constexpr std::uint32_t message_peer(std::uint64_t key) {
  return static_cast<std::uint32_t>(part(key, RANKWISE_MESSAGES_PEER_SHIFT, RANKWISE_MESSAGES_PEER_BITS));
}

// The row for a message whose own row found no room.
constexpr std::uint64_t other_messages(rankwise_message_kind kind, Procedure procedure) {
  return messages(kind, procedure, RANKWISE_COMMUNICATOR_OTHER, RANKWISE_PEER_OTHER);
}

// RANKWISE_FILE_OTHER: the row for a call whose own row found no room, too.
constexpr std::uint64_t accesses(std::uint32_t file, Procedure procedure) {
  return field(file, RANKWISE_ACCESSES_FILE_SHIFT, RANKWISE_ACCESSES_FILE_BITS) |
         field(static_cast<std::uint64_t>(procedure), RANKWISE_ACCESSES_PROCEDURE_SHIFT,
               RANKWISE_ACCESSES_PROCEDURE_BITS);
}

}  // namespace rankwise::keys

#endif
