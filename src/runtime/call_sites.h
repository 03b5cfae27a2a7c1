// Call sites: the place in the program where a call was made, as an object (the program itself or a shared library) and
// an offset in it. For calls through the MPI library's own bindings, such as Fortran's, it is the place that called the
// binding.
#ifndef RANKWISE_CALL_SITES_H
#define RANKWISE_CALL_SITES_H

#include <cstdint>

#include "address_table.h"
#include "format.h"
#include "frame_rules.h"

namespace rankwise::call_sites {

// A return address: its site, or, in a binding, how to unwind to the caller. In an extension module of Python the
// Python line is the site, if there is one.
struct Place {
  enum class Kind : std::uint8_t { told, in_binding, in_python, no_room };
  std::uint32_t site = RANKWISE_SITE_UNKNOWN;
  Kind kind = Kind::told;
  frames::Rule rule;
};

inline constinit AddressTable<Place> places;
inline constinit bool wanted = true;

// The same as of(), for any address.
[[gnu::noinline]] std::uint32_t find(frames::Frame call);

// The site's index in the counters file; RANKWISE_SITE_UNKNOWN if it is unknown. For a known address, it costs a table
// look-up for each binding on the way. Call from a wrapper: the first time it asks the loader for its objects.
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

// Whether sites are recorded: not if RANKWISE_SITES is off. `python`: lines of Python, too.
void start();

// The loader has removed objects: others may reuse their addresses.
void forget();

}  // namespace rankwise::call_sites

#endif
