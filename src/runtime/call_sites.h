// Call sites: where in the program a call was made, the object (the program itself or a shared library) and the place
// in it. Calls that reach us through the MPI library's own bindings, Fortran's, were made where the binding was called.
#ifndef RANKWISE_CALL_SITES_H
#define RANKWISE_CALL_SITES_H

#include <cstdint>

#include "address_table.h"
#include "format.h"
#include "frame_rules.h"

namespace rankwise::call_sites {

// What is known of a return address: its site, or, in a binding, how to go on to the caller's. In an extension module
// of Python the line of Python is the site, if there is one.
struct Place {
  enum class Kind : std::uint8_t { told, in_binding, in_python, no_room };
  std::uint32_t site = RANKWISE_SITE_UNKNOWN;
  Kind kind = Kind::told;
  frames::Rule rule;
};

inline constinit AddressTable<Place> places;
inline constinit bool wanted = true;

// The same as of(), of any address.
[[gnu::noinline]] std::uint32_t find(frames::Frame call);

// The site's index in the counters file; RANKWISE_SITE_UNKNOWN if it can't be told. Of an address that was seen before,
// a look into a table for each binding on the way. To be called from a wrapper: the first time the loader is asked for
// its objects.
[[gnu::always_inline]] inline std::uint32_t of(const frames::Frame &call) {
  if (!wanted) [[unlikely]] {
    return RANKWISE_SITE_UNKNOWN;
  }
  const Place *place = places.find_at_once(call.address);
  if (place != nullptr && place->kind == Place::Kind::told) [[likely]] {
    return place->site;
  }
  return find(call);
}

// Whether sites are to be told: not so if RANKWISE_SITES is off. `python`: lines of Python, too.
void start();

// The loader has taken objects away: others may come to where they were.
void forget();

}  // namespace rankwise::call_sites

#endif
