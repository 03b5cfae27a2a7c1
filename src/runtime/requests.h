// Requests that are under way: what their completion will have to book.
#ifndef RANKWISE_REQUESTS_H
#define RANKWISE_REQUESTS_H

#include <cstdint>

#include "counters_file.h"
#include "format.h"
#include "hash.h"
#include "lock.h"
#include "thread.h"

namespace rankwise::requests {

enum class Kind : std::uint8_t {
  none,        // not in the table
  send,        // booked when posted; also a receive from MPI_PROC_NULL
  receive,     // its bytes are known when it completes
  exchange,    // MPI_Isendrecv: sent bytes booked, received ones known when it completes
  collective,  // booked when posted; also MPI_Comm_idup
  message      // not a request: a message that was matched by MPI_Mprobe and waits for MPI_Mrecv
};

// 32 bytes, so that two share a cache line.
struct Request {
  std::uint64_t handle;
  std::uint64_t key;           // of the row that posting it was booked on, 0 = not recorded
  std::uint32_t communicator;  // index in keys
  std::uint32_t ticks;         // that posting it took, cut to 32 bits
  std::uint32_t shared;        // further requests with the same handle
  Kind kind;
};

// Open addressing, linear probing, at most half full. No lock unless several threads may call MPI.
//
// RATIONALE: handles are no unique keys. Two sends that completed at once have the same handle in Open MPI and
// MPICH, so requests that need nothing more booked share an entry and are counted; their communicators are kept
// if they agree. Receives always have a handle of their own while they are alive.
class Table {
 public:
  void put(const Request &request) {
    const Guard guard(lock_, threads::several);
    if (entries_ * 2 >= slots_ && !make_room()) [[unlikely]] {
      counters_file::drop(RANKWISE_DROPPED_REQUESTS);
      return;
    }
    Request &slot = slots_of_[probe(request.handle)];
    if (slot.kind == Kind::none) {
      slot = request;
      slot.shared = 0;
      ++entries_;
    } else {
      meet(slot, request);
    }
  }

  // The request with this handle, removed; kind none if it is not known.
  Request take(std::uint64_t handle) {
    const Guard guard(lock_, threads::several);
    if (entries_ == 0) return {};
    const std::uint64_t i = probe(handle);
    const Request found = slots_of_[i];
    if (found.kind == Kind::none) return {};
    if (found.shared > 0) {
      --slots_of_[i].shared;
    } else {
      erase(i);
    }
    return found;
  }

  // The same, left in place.
  Request look(std::uint64_t handle) {
    const Guard guard(lock_, threads::several);
    return entries_ == 0 ? Request{} : slots_of_[probe(handle)];
  }

 private:
  std::uint64_t slot_of(std::uint64_t handle) const { return scatter(handle) >> shift_; }

  // The slot that holds the handle, or the free one where it belongs.
  std::uint64_t probe(std::uint64_t handle) const {
    std::uint64_t i = slot_of(handle);
    while (slots_of_[i].kind != Kind::none && slots_of_[i].handle != handle) i = (i + 1) & (slots_ - 1);
    return i;
  }

  // Closes the gap that a removed entry leaves in its run.
  void erase(std::uint64_t hole) {
    for (std::uint64_t i = hole;;) {
      i = (i + 1) & (slots_ - 1);
      if (slots_of_[i].kind == Kind::none) break;
      if (((i - slot_of(slots_of_[i].handle)) & (slots_ - 1)) >= ((i - hole) & (slots_ - 1))) {
        slots_of_[hole] = slots_of_[i];
        hole = i;
      }
    }
    slots_of_[hole].kind = Kind::none;
    --entries_;
  }

  // A handle that is in the table already.
  static void meet(Request &slot, const Request &request);

  // Doubles the table; false if it has reached its bound or there is no memory.
  bool make_room();

  Request *slots_of_ = nullptr;
  std::uint64_t slots_ = 0;
  unsigned shift_ = 64;
  std::uint64_t entries_ = 0;
  Lock lock_;
};

inline Table table;

}  // namespace rankwise::requests

#endif
