// The processes of a session's communicator. All its sessions share them, because everything that needs a message is
// done when the first session starts.
#ifndef RANKWISE_INTROSPECTION_MEMBERS_H
#define RANKWISE_INTROSPECTION_MEMBERS_H

#include <cstdint>

#include "../runtime/communication.h"
#include "errors.h"
#include "rankwise/reordering.h"

namespace rankwise::introspection {

// How many of the messages inside collectives are visible, as in MPI_Monitoring.h.
enum Visible { visible_none = 0, visible_part = 1, visible_all = 2 };

// The functions of the MPI library in use; valid after MPI_M_init.
inline const Communication *mpi = nullptr;

class Members {
 public:
  // The members of a communicator: known from an earlier session, or obtained collectively by all its processes. Adds a
  // reference. On failure nullptr with an error value; it then failed on all processes, as far as they can know.
  static Members *of(Handle comm, Error *error);

  // Drops a reference. The last one also frees the copy of the communicator.
  void release();
  void keep() { __atomic_fetch_add(&references_, 1, __ATOMIC_RELAXED); }

  // Forgets all communicators, in the order of their creation, which is the same on all processes.
  static void detach_all();

  int rank() const { return processes_.rank; }
  int size() const { return processes_.size; }
  int world_rank(int member) const { return processes_.world_ranks[member]; }
  // How many of the messages inside collectives between them are visible; the same on all processes.
  Visible visible() const { return visible_; }
  // A private communicator, so that its messages can't match the program's.
  Handle copy() const { return copy_; }

  // The member that a message's peer is (format.h, keys of messages), -1 = none.
  int member(std::uint32_t peer) const {
    if (peer < RANKWISE_FIRST_ENDPOINT) [[likely]] {
      return peer < world_size_ ? by_world_rank_[peer] : -1;
    }
    return peer < RANKWISE_PEER_UNKNOWN ? member_at(peer - RANKWISE_FIRST_ENDPOINT) : -1;
  }

  // The locations of the processes, on the member that asked for them first. For MPI_M_mapping (mapping.cpp).
  int places_at = -1;
  rankwise_whereabouts *places = nullptr;

 private:
  struct Address {
    std::uint64_t hash[2];
    std::int32_t member;
    std::int32_t reserved;
  };

  // The report of each process to the others.
  struct Report {
    std::uint32_t ready;  // it has enough memory
    std::uint32_t addresses;
    std::uint64_t host;
    std::uint32_t sees;      // it sees its messages inside some collectives
    std::uint32_t sees_all;  // inside all collectives
    std::uint32_t within;    // also messages to processes of its host
    std::uint32_t reserved;
  };

  bool prepare(Handle comm);
  bool agree(Report *reports);
  bool exchange_addresses(const Report *reports);
  bool find_visible(const Report *reports);
  bool saw_within(const Report *reports) const;
  void enter();
  int member_at(std::uint32_t endpoint) const;
  void destroy();
  static void detached(void *members);

  Processes processes_;
  std::uint32_t world_size_ = 0;
  std::int32_t *by_world_rank_ = nullptr;
  Address *addresses_ = nullptr;  // of all processes, in order
  std::size_t address_count_ = 0;
  Handle comm_ = 0;  // the program's
  Handle copy_ = 0;
  bool has_copy_ = false;
  Visible visible_ = visible_none;
  int references_ = 1;
  Members *next_ = nullptr;
};

}  // namespace rankwise::introspection

#endif
