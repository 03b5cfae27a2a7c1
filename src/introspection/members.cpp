#include "members.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "../runtime/counters_file.h"
#include "../runtime/hash.h"
#include "../runtime/inside/inside.h"
#include "../runtime/lock.h"
#include "../runtime/thread.h"
#include "mapping.h"
#include "sections.h"

namespace rankwise::introspection {
namespace {

// All members attached to communicators, in the order of attachment.
Lock lock;
Members *first = nullptr;

std::uint32_t own_addresses(std::uint64_t (*to)[2]) {
  std::uint32_t count = 0;
  for_each_record<rankwise_endpoint>(RANKWISE_SECTION_ENDPOINTS, [&](const rankwise_endpoint &endpoint) {
    if (endpoint.own == 0) return;
    if (to != nullptr) memcpy(to[count], endpoint.address, sizeof endpoint.address);
    ++count;
  });
  return count;
}

int compare(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(std::uint64_t)); }

template <class T>
T *allocate(std::size_t count) {
  return static_cast<T *>(std::calloc(count + 1, sizeof(T)));
}

std::uint64_t hash_of_host() {
  std::uint64_t value = 1;
  for (const char *c = counters_file::header()->host; *c != '\0'; ++c)
    value = chain(value, static_cast<unsigned char>(*c));
  return value;
}

bool all_are_chosen() {
  for (const bool is_chosen : inside::chosen) {
    if (!is_chosen) return false;
  }
  return true;
}

}  // namespace

// The steps that need no communication.
bool Members::prepare(Handle comm) {
  world_size_ = static_cast<std::uint32_t>(counters_file::header()->world_size);
  by_world_rank_ = allocate<std::int32_t>(world_size_);
  if (by_world_rank_ == nullptr) return false;
  for (std::uint32_t i = 0; i < world_size_; ++i) by_world_rank_[i] = -1;
  for (int i = 0; i < processes_.size; ++i) {
    const int rank = processes_.world_ranks[i];
    if (rank >= 0 && static_cast<std::uint32_t>(rank) < world_size_) by_world_rank_[rank] = i;
  }
  comm_ = comm;
  return true;
}

// Collects the addresses at which each process receives.
bool Members::exchange_addresses(const Report *reports) {
  const auto n = static_cast<std::size_t>(size());
  int *bytes = allocate<int>(2 * n);
  if (bytes == nullptr) return false;
  int *places = bytes + n;
  int total = 0;
  constexpr int each = 2 * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < n; ++i) {
    places[i] = total;
    bytes[i] = static_cast<int>(reports[i].addresses) * each;
    total += bytes[i];
  }
  address_count_ = static_cast<std::size_t>(total / each);
  auto *own = allocate<std::uint64_t[2]>(own_addresses(nullptr));
  auto *all = allocate<std::uint64_t[2]>(address_count_);
  addresses_ = allocate<Address>(address_count_);
  bool done = own != nullptr && all != nullptr && addresses_ != nullptr;
  if (done) {
    own_addresses(own);
    done = mpi->all_gather_varying(copy_, own, bytes[rank()], all, bytes, places);
  }
  if (done) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::uint32_t a = 0; a < reports[i].addresses; ++a, ++k) {
        addresses_[k] = {{all[k][0], all[k][1]}, static_cast<std::int32_t>(i), 0};
      }
    }
    qsort(addresses_, address_count_, sizeof *addresses_, compare);
  }
  std::free(bytes);
  std::free(own);
  std::free(all);
  return done;
}

int Members::member_at(std::uint32_t endpoint) const {
  if (address_count_ == 0) return -1;
  std::uint32_t index = 0;
  const Address *match = nullptr;
  for_each_section(RANKWISE_SECTION_ENDPOINTS, [&](const rankwise_section &section) {
    if (endpoint >= index && endpoint - index < section.used) {
      const auto *records = static_cast<const rankwise_endpoint *>(counters_file::records(&section));
      match = static_cast<const Address *>(
          bsearch(records[endpoint - index].address, addresses_, address_count_, sizeof *addresses_, compare));
    }
    index += section.used;
  });
  return match == nullptr ? -1 : match->member;
}

Members *Members::of(Handle comm, Error *error) {
  if (void *known = mpi->attached(comm); known != nullptr) {
    auto *members = static_cast<Members *>(known);
    members->keep();
    *error = success;
    return members;
  }
  Processes processes;
  *error = mpit_fail;
  if (!mpi->processes(comm, &processes)) {
    std::free(processes.world_ranks);
    return nullptr;
  }
  *error = internal_fail;
  void *memory = std::malloc(sizeof(Members));
  auto *reports = allocate<Report>(static_cast<std::size_t>(processes.size));
  if (memory == nullptr || reports == nullptr) {
    std::free(memory);
    std::free(reports);
    std::free(processes.world_ranks);
    return nullptr;
  }
  auto *members = new (memory) Members;
  members->processes_ = processes;
  members->has_copy_ = mpi->duplicate(comm, &members->copy_);
  bool done = members->has_copy_;
  if (!done) *error = mpit_fail;
  if (done) {
    const rankwise_header *head = counters_file::header();
    const bool sees = head->transport_state == RANKWISE_TRANSPORT_ACTIVE;
    const bool within = sees && (head->transport_sees & RANKWISE_SEES_WITHIN_NODE) != 0;
    reports[processes.rank] = {.ready = members->prepare(comm) ? 1U : 0U,
                               .addresses = own_addresses(nullptr),
                               .host = hash_of_host(),
                               .sees = sees ? 1U : 0U,
                               .sees_all = sees && all_are_chosen() ? 1U : 0U,
                               .within = within ? 1U : 0U,
                               .reserved = 0};
    done = members->agree(reports);
  }
  std::free(reports);
  if (done && !mpi->attach(comm, members, detached)) {
    *error = mpit_fail;
    done = false;
  }
  if (!done) {
    members->destroy();
    return nullptr;
  }
  members->enter();
  members->keep();  // one reference is the communicator's
  *error = success;
  return members;
}

// Whether all are ready, and where each receives; `reports` contains this process's report.
bool Members::agree(Report *reports) {
  const Report own = reports[rank()];
  if (!mpi->all_gather(copy_, &own, sizeof own, reports)) return false;
  bool any_addresses = false;
  for (int i = 0; i < size(); ++i) {
    if (reports[i].ready == 0) return false;
    any_addresses = any_addresses || reports[i].addresses != 0;
  }
  return (!any_addresses || exchange_addresses(reports)) && find_visible(reports);
}

// Whether a message of this process to another on this host has passed the hook.
bool Members::saw_within(const Report *reports) const {
  const Thread *thread = threads::current;
  if (thread == nullptr) return false;
  for (std::size_t i = 0; i < thread->own_messages && i < Thread::most_own_peers; ++i) {
    const int to = member(thread->own_peers[i]);
    if (to >= 0 && to != rank() && reports[to].host == reports[rank()].host) return true;
  }
  return false;
}

// RATIONALE: some libraries send within a node by the observed transport, and others bypass it; a hook's promise holds
// for both. All processes have just exchanged messages: if one was seen within a node, all are visible.
bool Members::find_visible(const Report *reports) {
  const auto n = static_cast<std::size_t>(size());
  bool any_sees = false;
  bool all_see = true;
  bool one_host = true;
  bool hidden = false;  // a process may not see its messages within its host, and has others there
  for (std::size_t i = 0; i < n; ++i) {
    any_sees = any_sees || reports[i].sees != 0;
    all_see = all_see && reports[i].sees_all != 0;
    one_host = one_host && reports[i].host == reports[0].host;
    for (std::size_t j = 0; j < n && !hidden && reports[i].within == 0; ++j) {
      hidden = j != i && reports[j].host == reports[i].host;
    }
  }
  if (any_sees && hidden) {
    auto *saw = allocate<std::uint32_t>(n);
    if (saw == nullptr) return false;
    const std::uint32_t own = saw_within(reports) ? 1 : 0;
    const bool done = mpi->all_gather(copy_, &own, sizeof own, saw);
    for (std::size_t i = 0; i < n; ++i) hidden = hidden && saw[i] == 0;
    std::free(saw);
    if (!done) return false;
  }
  bool any_within = false;
  for (std::size_t i = 0; i < n; ++i) any_within = any_within || reports[i].within != 0;
  if (size() == 1) {
    visible_ = visible_all;  // none exists
  } else if (!any_sees || (hidden && one_host && !any_within)) {
    visible_ = visible_none;
  } else {
    visible_ = all_see && !hidden ? visible_all : visible_part;
  }
  return true;
}

void Members::enter() {
  const Guard guard(lock);
  Members **last = &first;
  while (*last != nullptr) last = &(*last)->next_;
  *last = this;
}

void Members::release() {
  if (__atomic_sub_fetch(&references_, 1, __ATOMIC_ACQ_REL) == 0) destroy();
}

void Members::destroy() {
  // Inside MPI_Finalize nothing is left to be freed.
  if (has_copy_ && counters_file::header()->state == RANKWISE_STATE_RUNNING) mpi->free(copy_);
  std::free(processes_.world_ranks);
  std::free(by_world_rank_);
  std::free(addresses_);
  mapping::forget(places);
  std::free(places);
  std::free(this);
}

void Members::detached(void *members) {
  auto *gone = static_cast<Members *>(members);
  {
    const Guard guard(lock);
    Members **place = &first;
    while (*place != nullptr && *place != gone) place = &(*place)->next_;
    if (*place != nullptr) *place = (*place)->next_;
  }
  gone->release();
}

void Members::detach_all() {
  for (;;) {
    lock.acquire();
    Members *next = first;
    lock.release();
    if (next == nullptr) return;
    mpi->detach(next->comm_);
  }
}

}  // namespace rankwise::introspection
