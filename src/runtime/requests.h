// Active requests, with the data that their completion must book.
#ifndef RANKWISE_REQUESTS_H
#define RANKWISE_REQUESTS_H

#include <cstdint>

#include "counters_file.h"
#include "format.h"
#include "hash.h"
#include "keys.h"
#include "lock.h"
#include "partners.h"
#include "thread.h"

namespace rankwise::requests {

// The data that is booked when a request completes.
enum class Kind : std::uint8_t {
  none,         // not in the table
  send,         // nothing: all is known when it is posted; also a receive from MPI_PROC_NULL
  receive,      // its bytes, and the bin of its call
  exchange,     // MPI_Isendrecv: the bytes received
  untold,       // the same if the library's status does not contain them
  collective,   // nothing; also MPI_Comm_idup
  partitioned,  // MPI_Precv_init: all its partitions
  reading,      // of a file: its bytes, and the bin of its call
  writing,      // to a file: its bytes, and the bin of its call
  message       // not a request: a message that was matched by MPI_Mprobe and waits for MPI_Mrecv
};

// Whether received bytes are lost if its completion is not seen.
constexpr bool receives(Kind kind) {
  return kind == Kind::receive || kind == Kind::exchange || kind == Kind::untold || kind == Kind::partitioned;
}

constexpr bool accesses_file(Kind kind) { return kind == Kind::reading || kind == Kind::writing; }

// 32 bytes, so that two share a cache line.
//
// A persistent request stays in the table from its initialisation until it is freed. While it is not active, it is
// there for MPI_Start and for calls that act on one request; completion calls pass over it, as MPI does.
struct Request {
  struct Once {
    std::uint32_t ticks;   // that posting it took, cut to 32 bits; see serial()
    std::uint32_t shared;  // further requests with the same handle; see serial()
  };

  std::uint64_t handle;
  std::uint64_t key;  // of the row that posting it was booked on; persistent: as keys::started() makes it
  union {
    Once once;
    struct {
      std::uint64_t bytes : 44;      // persistent: of one start
      std::uint64_t operation : 20;  // persistent: see streams::operations
    };
  };
  std::uint32_t communicator : 23;  // index in keys
  std::uint32_t addressed : 1;      // persistent: each start is a message
  Kind kind : 8;
  std::uint32_t peer : 28;      // of an addressed one: the destination, as in keys; of an access: the file; of a
                                // collective: inside::operation_of(); else the partner that it waits for, as in
                                // partners
  std::uint32_t in_sample : 1;  // its thread's streams know it by its handle
  std::uint32_t recorded : 1;   // false: posted or started while recording was paused
  std::uint32_t persistent : 1;
  std::uint32_t active : 1;  // persistent: started, and not yet seen to be complete
};
static_assert(sizeof(Request) == 32);

// Whether requests of this kind may share a handle, and an entry: nothing more is booked for them.
constexpr bool may_share(const Request &request) {
  return !request.persistent && (request.kind == Kind::send || request.kind == Kind::collective);
}

// Distinguishes a request that is not persistent from later ones with its handle.
//
// RATIONALE: stored in fields that are otherwise unused: requests that share a handle need no time, the others are not
// shared.
inline std::uint32_t &serial(Request &request) { return may_share(request) ? request.once.ticks : request.once.shared; }

// The partner that a send or a receive waits for. (For the tag there is no room.)
constexpr std::uint64_t partner(const Request &request) {
  if (request.peer == 0 && !request.addressed) return partners::nobody;
  const std::uint32_t who = request.addressed ? RANKWISE_PARTNER_WORLD + request.peer + 1 : request.peer;
  return partners::word(who, RANKWISE_TAG_UNKNOWN);
}

// How many messages a completion call waits for in this request. A request without message counts as an unknown one.
constexpr std::uint32_t messages(const Request &request) {
  switch (request.kind) {
    case Kind::none:
      return 0;
    case Kind::send:
      return partner(request) == partners::nobody ? 0 : 1;
    case Kind::exchange:
    case Kind::untold:
      return 2;
    default:
      return 1;
  }
}

// Whether MPI is processing it: not if it is persistent and not active.
constexpr bool is_under_way(const Request &request) {
  return request.kind != Kind::none && (!request.persistent || request.active);
}

// The request is gone without a known result.
inline void lost(const Request &request) {
  if (receives(request.kind)) counters_file::drop(RANKWISE_DROPPED_RECEIVES);
  if (accesses_file(request.kind)) counters_file::drop(RANKWISE_DROPPED_ACCESSES);
}

// Its completion was seen after all.
inline void found_again(const Request &request) {
  if (receives(request.kind)) counters_file::take_back(RANKWISE_DROPPED_RECEIVES);
  if (accesses_file(request.kind)) counters_file::take_back(RANKWISE_DROPPED_ACCESSES);
}

inline Request of_communicator(std::uint64_t handle, std::uint32_t communicator, Kind kind) {
  Request request{};
  request.handle = handle;
  request.communicator = communicator & 0x7FFFFFU;
  request.kind = kind;
  return request;
}

// Open addressing, linear probing, at most half full, in parts that each have a lock. No lock unless several threads
// may call MPI.
//
// RATIONALE: handles are no unique keys. Two sends that completed at once have the same handle in Open MPI and MPICH,
// so requests that need nothing more booked share an entry and are counted; their communicators are kept if they agree.
// Receives and persistent requests always have a unique handle while they are alive.
class Table {
 public:
  void put(const Request &request) {
    const std::uint64_t hash = scatter(request.handle);
    Part &part = part_of(hash);
    const Guard guard(part.lock, threads::several);
    if (part.entries * 2 >= part.slots && !make_room(part)) [[unlikely]] {
      counters_file::drop(RANKWISE_DROPPED_REQUESTS);
      return;
    }
    Request &slot = part.slot[probe(part, hash, request.handle)];
    if (slot.kind == Kind::none) {
      enter(part, slot, request);
      ++part.entries;
    } else {
      meet(part, slot, request);
    }
  }

  // The request with this handle is being completed. It is removed or, if it is persistent, inactive from now on. Kind
  // none if it is not known or was not active.
  Request complete(std::uint64_t handle) {
    const std::uint64_t hash = scatter(handle);
    Part &part = part_of(hash);
    const Guard guard(part.lock, threads::several);
    if (part.entries == 0) return {};
    const std::uint64_t i = probe(part, hash, handle);
    Request &slot = part.slot[i];
    const Request found = slot;
    if (found.kind == Kind::none) return {};
    if (found.persistent) {
      slot.active = 0;
      return found.active ? found : Request{};
    }
    take(part, i);
    return found;
  }

  // The same for the result of look() before the call: MPI has completed the request, and another thread may by now
  // have reused its handle.
  Request complete(Request looked) {
    if (looked.kind == Kind::none) return {};
    if (looked.persistent) return complete(looked.handle);
    const std::uint64_t hash = scatter(looked.handle);
    Part &part = part_of(hash);
    const Guard guard(part.lock, threads::several);
    const std::uint64_t i = probe(part, hash, looked.handle);
    Request &slot = part.slot[i];
    if (slot.kind != Kind::none && !slot.persistent && serial(slot) == serial(looked)) [[likely]] {
      take(part, i);
    } else {
      found_again(looked);  // another one has taken its place
    }
    return looked;
  }

  // The request with this handle, removed in any case; kind none if it is not known.
  Request remove(std::uint64_t handle);

  // The same, left in place.
  Request look(std::uint64_t handle) {
    const std::uint64_t hash = scatter(handle);
    Part &part = part_of(hash);
    const Guard guard(part.lock, threads::several);
    return part.entries == 0 ? Request{} : part.slot[probe(part, hash, handle)];
  }

  // A persistent request has been started by this procedure at this place, as in keys. Returns its previous state; kind
  // none if it is not known.
  //
  // RATIONALE: the previous one, because a processor stalls if it reads data that was just written in smaller parts.
  Request start(std::uint64_t handle, Procedure procedure, std::uint64_t place, bool recorded) {
    const std::uint64_t hash = scatter(handle);
    Part &part = part_of(hash);
    const Guard guard(part.lock, threads::several);
    if (part.entries == 0) return {};
    Request &slot = part.slot[probe(part, hash, handle)];
    const Request found = slot;
    if (found.kind == Kind::none || !found.persistent) return {};
    slot.key = keys::started(found.key, place, procedure);
    slot.recorded = recorded;
    slot.active = 1;
    slot.in_sample = 0;
    return found;
  }

  // The message of this request is in the sample.
  //
  // RATIONALE: set only after insertion. Data that is written in parts and then copied as a whole stalls the processor.
  void put_in_sample(std::uint64_t handle);

  // A persistent request, with this state now, has been given another handle. (Another thread may use its old one.)
  void rename(Request request, std::uint64_t handle);

 private:
  static constexpr unsigned part_bits = 6;

  struct alignas(64) Part {
    Request *slot = nullptr;
    std::uint64_t slots = 0;
    std::uint64_t entries = 0;
    unsigned shift = 64;
    std::uint32_t latest_serial = 0;
    Lock lock;
  };

  // The highest bits of the hash choose the part, the next ones the slot in it.
  Part &part_of(std::uint64_t hash) { return parts_[hash >> (64 - part_bits)]; }
  static std::uint64_t slot_of(const Part &part, std::uint64_t hash) { return (hash << part_bits) >> part.shift; }

  // The slot that holds the handle, or the free one where it belongs.
  static std::uint64_t probe(const Part &part, std::uint64_t hash, std::uint64_t handle) {
    std::uint64_t i = slot_of(part, hash);
    while (part.slot[i].kind != Kind::none && part.slot[i].handle != handle) i = (i + 1) & (part.slots - 1);
    return i;
  }

  static void enter(Part &part, Request &slot, const Request &request) {
    slot = request;
    if (threads::several && !request.persistent) serial(slot) = ++part.latest_serial;
  }

  // One of the requests that share the entry, or the only one.
  static void take(Part &part, std::uint64_t i) {
    Request &slot = part.slot[i];
    if (may_share(slot) && slot.once.shared > 0) {
      --slot.once.shared;
    } else {
      erase(part, i);
    }
  }

  // Closes the gap that a removed entry leaves in its run.
  static void erase(Part &part, std::uint64_t hole) {
    for (std::uint64_t i = hole;;) {
      i = (i + 1) & (part.slots - 1);
      if (part.slot[i].kind == Kind::none) break;
      const std::uint64_t home = slot_of(part, scatter(part.slot[i].handle));
      if (((i - home) & (part.slots - 1)) >= ((i - hole) & (part.slots - 1))) {
        part.slot[hole] = part.slot[i];
        hole = i;
      }
    }
    part.slot[hole].kind = Kind::none;
    --part.entries;
  }

  // A handle that is in the table already.
  static void meet(Part &part, Request &slot, const Request &request);

  // Doubles a part; false if it has reached its bound or there is no memory.
  static bool make_room(Part &part);

  Part parts_[1U << part_bits];
};

inline Table table;

}  // namespace rankwise::requests

#endif
