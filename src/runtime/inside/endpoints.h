// Peers that a transport knows by address, not by rank. They are matched to ranks when the files of all processes are
// read: format.h, rankwise_endpoint.
#ifndef RANKWISE_INSIDE_ENDPOINTS_H
#define RANKWISE_INSIDE_ENDPOINTS_H

#include <cstddef>
#include <cstdint>

namespace rankwise::inside::endpoints {

// The peer number of an address that messages may be sent to. All processes must see the same bytes for it, and no two
// processes the same bytes.
std::uint32_t add(const void *address, std::size_t bytes);

// This process receives under the address.
void add_own(const void *address, std::size_t bytes);

}  // namespace rankwise::inside::endpoints

#endif
