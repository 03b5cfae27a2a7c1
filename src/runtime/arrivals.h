// When each process arrives at the same collectives: a sample that all members of a communicator take in the same way,
// without a message. In addition, the calls that took longest. format.h, rankwise_arrival_table;
// docs/explanation/how-it-works.md, "Waiting".
#ifndef RANKWISE_ARRIVALS_H
#define RANKWISE_ARRIVALS_H

#include <cstdint>

#include "clock.h"
#include "communicators.h"
#include "format.h"
#include "generated/procedures.h"
#include "streams.h"
#include "thread.h"

namespace rankwise::arrivals {

constexpr int none = -1;

// Numbers the collectives whose arrivals are kept: blocking ones on a communicator, a window or a file, or among
// neighbours.
constexpr int number_of(Procedure procedure) {
  switch (procedure) {
    case Procedure::MPI_Barrier:
      return 0;
    case Procedure::MPI_Bcast:
      return 1;
    case Procedure::MPI_Gather:
      return 2;
    case Procedure::MPI_Gatherv:
      return 3;
    case Procedure::MPI_Scatter:
      return 4;
    case Procedure::MPI_Scatterv:
      return 5;
    case Procedure::MPI_Allgather:
      return 6;
    case Procedure::MPI_Allgatherv:
      return 7;
    case Procedure::MPI_Alltoall:
      return 8;
    case Procedure::MPI_Alltoallv:
      return 9;
    case Procedure::MPI_Alltoallw:
      return 10;
    case Procedure::MPI_Reduce:
      return 11;
    case Procedure::MPI_Allreduce:
      return 12;
    case Procedure::MPI_Reduce_scatter:
      return 13;
    case Procedure::MPI_Reduce_scatter_block:
      return 14;
    case Procedure::MPI_Scan:
      return 15;
    case Procedure::MPI_Exscan:
      return 16;
    case Procedure::MPI_Win_fence:
      return 17;
    case Procedure::MPI_File_read_all:
      return 18;
    case Procedure::MPI_File_read_at_all:
      return 19;
    case Procedure::MPI_File_read_ordered:
      return 20;
    case Procedure::MPI_File_write_all:
      return 21;
    case Procedure::MPI_File_write_at_all:
      return 22;
    case Procedure::MPI_File_write_ordered:
      return 23;
    case Procedure::MPI_Neighbor_allgather:
      return 41;
    case Procedure::MPI_Neighbor_allgatherv:
      return 42;
    case Procedure::MPI_Neighbor_alltoall:
      return 43;
    case Procedure::MPI_Neighbor_alltoallv:
      return 44;
    case Procedure::MPI_Neighbor_alltoallw:
      return 45;
    default:
      return none;
  }
}

// The same for collectives that are only posted or started: waiting happens in a completion call.
constexpr int number_of_posted(Procedure procedure) {
  switch (procedure) {
    case Procedure::MPI_Ibarrier:
      return 24;
    case Procedure::MPI_Ibcast:
      return 25;
    case Procedure::MPI_Igather:
      return 26;
    case Procedure::MPI_Igatherv:
      return 27;
    case Procedure::MPI_Iscatter:
      return 28;
    case Procedure::MPI_Iscatterv:
      return 29;
    case Procedure::MPI_Iallgather:
      return 30;
    case Procedure::MPI_Iallgatherv:
      return 31;
    case Procedure::MPI_Ialltoall:
      return 32;
    case Procedure::MPI_Ialltoallv:
      return 33;
    case Procedure::MPI_Ialltoallw:
      return 34;
    case Procedure::MPI_Ireduce:
      return 35;
    case Procedure::MPI_Iallreduce:
      return 36;
    case Procedure::MPI_Ireduce_scatter:
      return 37;
    case Procedure::MPI_Ireduce_scatter_block:
      return 38;
    case Procedure::MPI_Iscan:
      return 39;
    case Procedure::MPI_Iexscan:
      return 40;
    case Procedure::MPI_Ineighbor_allgather:
      return 46;
    case Procedure::MPI_Ineighbor_allgatherv:
      return 47;
    case Procedure::MPI_Ineighbor_alltoall:
      return 48;
    case Procedure::MPI_Ineighbor_alltoallv:
      return 49;
    case Procedure::MPI_Ineighbor_alltoallw:
      return 50;
    case Procedure::MPI_Barrier_init:
      return 51;
    case Procedure::MPI_Bcast_init:
      return 52;
    case Procedure::MPI_Gather_init:
      return 53;
    case Procedure::MPI_Gatherv_init:
      return 54;
    case Procedure::MPI_Scatter_init:
      return 55;
    case Procedure::MPI_Scatterv_init:
      return 56;
    case Procedure::MPI_Allgather_init:
      return 57;
    case Procedure::MPI_Allgatherv_init:
      return 58;
    case Procedure::MPI_Alltoall_init:
      return 59;
    case Procedure::MPI_Alltoallv_init:
      return 60;
    case Procedure::MPI_Alltoallw_init:
      return 61;
    case Procedure::MPI_Reduce_init:
      return 62;
    case Procedure::MPI_Allreduce_init:
      return 63;
    case Procedure::MPI_Reduce_scatter_init:
      return 64;
    case Procedure::MPI_Reduce_scatter_block_init:
      return 65;
    case Procedure::MPI_Scan_init:
      return 66;
    case Procedure::MPI_Exscan_init:
      return 67;
    case Procedure::MPI_Neighbor_allgather_init:
      return 68;
    case Procedure::MPI_Neighbor_allgatherv_init:
      return 69;
    case Procedure::MPI_Neighbor_alltoall_init:
      return 70;
    case Procedure::MPI_Neighbor_alltoallv_init:
      return 71;
    case Procedure::MPI_Neighbor_alltoallw_init:
      return 72;
    default:
      return none;
  }
}
constexpr int collectives = 73;

constexpr bool is_on_window_or_file(Procedure procedure) {
  return number_of(procedure) >= number_of(Procedure::MPI_Win_fence) &&
         number_of(procedure) <= number_of(Procedure::MPI_File_write_ordered);
}

// Which numbers belong to collectives among neighbours.
constexpr bool is_among_neighbours(int number) {
  return (number >= number_of(Procedure::MPI_Neighbor_allgather) &&
          number <= number_of_posted(Procedure::MPI_Ineighbor_alltoallw)) ||
         number >= number_of_posted(Procedure::MPI_Neighbor_allgather_init);
}

// The finaliser of splitmix64: the low bits of consecutive numbers are uncorrelated.
constexpr std::uint64_t mixed(std::uint64_t n) {
  n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9ULL;
  n = (n ^ (n >> 27)) * 0x94D049BB133111EBULL;
  return n ^ (n >> 31);
}

// The calls that are kept because of the length of their steps, in addition to the sample.
struct Longest {
  struct Kept {
    std::uint64_t step;
    std::uint32_t row;
  };
  std::uint32_t count = 0;
  Kept of[RANKWISE_MOST_LONG_ARRIVALS] = {};
};

// One collective on one communicator.
//
// RATIONALE: most calls only count down to the next one that belongs to the sample.
struct Table {
  std::uint64_t remaining = 1;   // calls until instance `next`
  std::uint64_t next = 1;        // one that is kept, or the first that was not checked yet
  std::uint64_t mask = 0;        // instances are kept whose hash has none of these bits
  std::uint64_t traits = ~0ULL;  // rankwise_traits that the record has; all if it has no record
  rankwise_arrival_table *record = nullptr;
  rankwise_section *sections[RANKWISE_MOST_ARRIVAL_SECTIONS] = {};
  std::uint32_t index = 0;
  std::uint32_t capacity = 0;
  std::uint32_t kept = 0;
  std::uint32_t free = 0;            // where the search for a free row begins
  Longest *longest = nullptr;        // none while the sample has all calls
  std::uint64_t least_long = ~0ULL;  // a longer step is kept
  bool is_posted = false;            // of a collective that is only posted: none is kept for its length
  std::uint32_t initialised = 0;     // persistent ones so far
  bool in_pairs = false;             // two instances are kept together: an odd number and the even one after it
};

// The tables of one communicator, window or file. MPI allows one call at a time, so its calls need no lock.
struct OfCommunicator {
  std::uint64_t left = 0;          // ticks; when the latest blocking collective was left
  std::uint64_t left_before = 0;   // ticks; the same for the previous one
  std::uint64_t in_mpi = 0;        // the thread's time in MPI at that moment
  const Thread *thread = nullptr;  // the thread
  // The same for the latest one that was only posted.
  std::uint64_t posted = 0;
  std::uint64_t posted_in_mpi = 0;
  const Thread *posted_by = nullptr;
  Table *tables[collectives] = {};

  void has_posted(const Thread &by, std::uint64_t start, std::uint64_t stop) {
    posted = stop;
    posted_in_mpi = by.in_mpi + clock::elapsed(start, stop);
    posted_by = &by;
  }
};

// A completed call.
struct Call {
  std::uint64_t start;
  std::uint64_t stop;
  std::uint64_t left_key;
  std::uint64_t bytes;
  int root;
  bool kept;  // false: it failed, or must not be recorded
};

// The duration of the latest two steps on a communicator, to the end of a call.
//
// RATIONALE: a step takes about as long on all members, regardless of the late one, so that they keep the same steps.
// Two, because a member that loses its processor when it leaves a call has the long step one call earlier than the
// members that wait for it in the next call.
[[gnu::always_inline]] inline std::uint64_t step(const OfCommunicator &of, std::uint64_t stop) {
  return clock::elapsed(of.left_before, stop);
}

// A communicator, a window or a file: its counts and its record.
struct Place {
  OfCommunicator *&of;  // nullptr = no rank can wait here
  std::uint32_t index;  // in keys
  bool has_record;
};

[[gnu::always_inline]] inline Place place_of(communicators::Communicator &communicator) {
  return {communicator.arrivals, communicator.index, communicator.record != nullptr};
}

// Creates the table of a collective; nullptr if memory is exhausted.
[[gnu::cold, gnu::noinline]] Table *make(Place place, Procedure procedure, int number);
// Handles the instance that the table has counted down to.
[[gnu::cold, gnu::noinline]] void reach(const OfCommunicator &of, Table &table, const Thread &thread, const Call &call);
// Handles a call that is not in the sample, but has a longer step than another one that is kept for its length.
[[gnu::cold, gnu::noinline]] void keep_long(const OfCommunicator &of, Table &table, const Thread &thread,
                                            const Call &call);
// A call has traits (rankwise_traits) that no other call had before.
[[gnu::cold, gnu::noinline]] void add(Table &table, std::uint64_t traits);

// The posted collective is the instance that the table has counted down to. Returns whether its completion must be
// reported by completed() with this handle.
[[gnu::cold, gnu::noinline]] bool reach_posted(const OfCommunicator &of, Table &table, const Thread &thread,
                                               const Call &call, std::uint64_t handle);
// Enters a persistent collective. Returns its number among streams::operations, 0 if there is no room.
//
// RATIONALE: MPI matches persistent collectives in the order in which they are initialised. Members may start them in
// any order, so each has separate numbers.
[[gnu::cold, gnu::noinline]] std::uint32_t initialised(communicators::Communicator &communicator, Procedure procedure,
                                                       std::uint64_t bytes, int root);
// It was started. Returns the same as reach_posted(). (Bytes and root of the call are taken from the operation.)
[[gnu::cold, gnu::noinline]] bool started(streams::operations::Operation &operation, const Thread &thread, Call call,
                                          std::uint64_t handle);
// A call has tested or waited for a request with this handle, and it was not complete yet.
[[gnu::cold, gnu::noinline]] void asked(std::uint64_t handle, std::uint64_t start, std::uint64_t stop);
// A call has ended in which so many collectives were complete; this is the handle of one of them. False if its
// completion was not requested.
[[gnu::cold, gnu::noinline]] bool completed(std::uint64_t handle, std::uint64_t start, std::uint64_t stop,
                                            std::uint64_t together);

// Counts a call, and keeps the data that belongs to the sample. `thread` has not counted its time yet; `in_mpi` is its
// total time in MPI including this call. Traits count also for calls that are not recorded: settings of the library
// apply to all calls.
[[gnu::always_inline]] inline void count(Place place, const Thread &thread, Procedure procedure, std::uint64_t start,
                                         std::uint64_t stop, std::uint64_t left_key, std::uint64_t bytes, int root,
                                         bool kept, std::uint64_t in_mpi, std::uint64_t traits) {
  // (None on intercommunicators, whose groups count separately, nor on communicators of one process.)
  if (place.of == nullptr) return;
  Table *table = place.of->tables[number_of(procedure)];
  if (table == nullptr) [[unlikely]] {
    table = make(place, procedure, number_of(procedure));
    if (table == nullptr) return;
  }
  if ((traits & ~table->traits) != 0) [[unlikely]] {
    add(*table, traits);
  }
  OfCommunicator &of = *place.of;
  // RATIONALE: the data to keep is assembled only here, so that other calls need not store it.
  if (--table->remaining == 0) [[unlikely]] {
    reach(of, *table, thread, {start, stop, left_key, bytes, root, kept});
  } else if (step(of, stop) > table->least_long) [[unlikely]] {
    keep_long(of, *table, thread, {start, stop, left_key, bytes, root, kept});
  }
  of.left_before = of.left;
  of.left = stop;
  of.in_mpi = in_mpi;
  of.thread = &thread;
}

// Counts a collective that was posted. Returns whether its completion must be reported.
[[gnu::always_inline]] inline bool posted(communicators::Communicator &communicator, const Thread &thread,
                                          Procedure procedure, std::uint64_t handle, std::uint64_t start,
                                          std::uint64_t stop, std::uint64_t left_key, std::uint64_t bytes, int root,
                                          bool kept) {
  if (communicator.arrivals == nullptr) return false;
  Table *table = communicator.arrivals->tables[number_of_posted(procedure)];
  if (table == nullptr) [[unlikely]] {
    table = make(place_of(communicator), procedure, number_of_posted(procedure));
    if (table == nullptr) return false;
  }
  OfCommunicator &of = *communicator.arrivals;
  bool is_wanted = false;
  if (--table->remaining == 0) [[unlikely]] {
    is_wanted = reach_posted(of, *table, thread, {start, stop, left_key, bytes, root, kept}, handle);
  }
  of.has_posted(thread, start, stop);
  return is_wanted;
}

}  // namespace rankwise::arrivals

#endif
