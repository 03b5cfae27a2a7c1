// Requests that are under way: what their completion will have to book.
#ifndef RANKWISE_REQUESTS_H
#define RANKWISE_REQUESTS_H

#include <cstdint>

#include "format.h"

namespace rankwise::requests {

enum class Kind : std::uint8_t {
  none,        // not in the table
  send,        // booked when posted; also a receive from MPI_PROC_NULL
  receive,     // its bytes are known when it completes
  exchange,    // MPI_Isendrecv: sent bytes booked, received ones known when it completes
  collective,  // booked when posted
  duplicate,   // MPI_Comm_idup: the communicator exists when it completes
  message      // not a request: a message that was matched by MPI_Mprobe and waits for MPI_Mrecv
};

// 32 bytes, so that two share a cache line.
struct Request {
  std::uint64_t handle;
  std::uint64_t key;           // of the row that posting it was booked on, 0 = not recorded; duplicate: a pointer
  std::uint32_t communicator;  // index in keys
  std::uint32_t ticks;         // that posting it took, cut to 32 bits
  std::uint32_t shared;        // further requests with the same handle
  Kind kind;
};

// RATIONALE: handles are no unique keys. Two sends that completed at once have the same handle in Open MPI and
// MPICH, so requests that need nothing more booked share an entry and are counted; their communicators are kept
// if they agree. Receives always have a handle of their own while they are alive.
void put(const Request &request);

// The request with this handle, removed; kind none if it is not known.
Request take(std::uint64_t handle);

// The same, left in place.
Request look(std::uint64_t handle);

}  // namespace rankwise::requests

#endif
