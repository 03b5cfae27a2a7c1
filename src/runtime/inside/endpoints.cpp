#include "endpoints.h"

#include <cstring>

#include "../format.h"
#include "../hash.h"
#include "../lock.h"
#include "../records.h"

namespace rankwise::inside::endpoints {
namespace {

constexpr std::uint32_t first_endpoints = 64;
constexpr std::uint32_t most_endpoints = 1U << 15;  // of a section
constexpr std::uint32_t most_sections = 64;

Lock lock;
constinit Records<rankwise_endpoint> records(RANKWISE_SECTION_ENDPOINTS, first_endpoints, most_endpoints,
                                             most_sections);
std::uint32_t count = 0;

std::uint64_t hash(const void *address, std::size_t bytes, std::uint64_t seed) {
  const auto *from = static_cast<const unsigned char *>(address);
  std::uint64_t value = chain(seed, bytes);
  for (std::size_t i = 0; i < bytes; i += sizeof value) {
    std::uint64_t part = 0;
    memcpy(&part, from + i, bytes - i < sizeof part ? bytes - i : sizeof part);
    value = chain(value, part);
  }
  return value;
}

std::uint32_t record(const void *address, std::size_t bytes, bool own) {
  const Guard guard(lock);
  rankwise_endpoint *endpoint = records.next();
  if (endpoint == nullptr) return RANKWISE_PEER_OTHER;
  endpoint->address[0] = hash(address, bytes, 1);
  endpoint->address[1] = hash(address, bytes, 2);
  endpoint->own = own ? 1 : 0;
  records.publish();
  return RANKWISE_FIRST_ENDPOINT + count++;
}

}  // namespace

std::uint32_t add(const void *address, std::size_t bytes) { return record(address, bytes, false); }

void add_own(const void *address, std::size_t bytes) { record(address, bytes, true); }

}  // namespace rankwise::inside::endpoints
