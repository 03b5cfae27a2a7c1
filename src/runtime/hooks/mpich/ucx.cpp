// MPICH over UCX.
#include <cstdio>
#include <cstdlib>

#include "../../counters_file.h"
#include "../../generated/procedures.h"
#include "../../hash.h"
#include "../../inside/endpoints.h"
#include "../../inside/inside.h"
#include "../../keys.h"
#include "../../thread.h"
#include "../peer_table.h"
#include "../relocations.h"
#include "hooks.h"
#include "mpich_calls.h"
#include "ucx_abi.h"

namespace rankwise::ucx {
namespace {

// --- MPICH's tags: 16 bits of context, 16 of the sender's rank in the communicator, 32 of tag ---

// The lowest bits of a context distinguish the program's messages from the library's, and the library's internal
// communicators (processes of a node, leaders of the nodes, a side of an intercommunicator) from the communicator for
// which they are made.
constexpr unsigned context_shift = 48;
constexpr std::uint64_t below_mask = 0xE;
constexpr std::uint64_t own_context = std::uint64_t{1} << context_shift;

// Blocking collectives have fixed tags; from here on, each operation has its own. (287 in MPICH 4.0, 799 in 5.0, where
// collectives do not use the tags between.)
constexpr std::uint64_t first_operation_tag = 287;
constexpr std::uint64_t error_marks = std::uint64_t{3} << 29;  // a process reports an error to others
constexpr std::uint64_t group_mark = std::uint64_t{1} << 28;   // the tag is the program's, of MPI_Comm_create_group

std::uint64_t number_of(std::uint64_t tag) { return (tag & 0xFFFFFFFF) & ~error_marks; }

bool has_operation(std::uint64_t tag) {
  const std::uint64_t number = number_of(tag);
  return number >= first_operation_tag && (number & group_mark) == 0;
}

inside::Operation operation_of(std::uint64_t tag) {
  if (!has_operation(tag)) return {0};
  const std::uint64_t context = tag >> context_shift;
  const std::uint64_t number = number_of(tag);
  return {chain(context, number), chain(context & ~below_mask, number)};
}

int source_of(std::uint64_t tag) { return static_cast<int>((tag >> 32) & 0xFFFF); }

// --- Endpoints: the destination of a message. UCX reuses the memory of closed endpoints ---

constinit PeerTable peers;

std::uint64_t key_of(const void *endpoint) { return reinterpret_cast<std::uintptr_t>(endpoint); }

// --- Self-check: the first messages of the program must match our assumptions ---

int checks_left = 64;

// A message that seems to be the program's.
void check(std::uint64_t tag, std::uint64_t key) {
  const Procedure procedure = keys::procedure(key);
  if (mpich_calls::sends_nothing_for_the_program(procedure)) {
    return transports::contradicted("a collective's message has the mark of a user's");
  }
  if (!mpich_calls::is_plain_send(procedure) || keys::communicator(key) != RANKWISE_FIRST_COMMUNICATOR) return;
  __atomic_fetch_sub(&checks_left, 1, __ATOMIC_RELAXED);
  if (source_of(tag) != (counters_file::header()->world_rank & 0xFFFF)) {
    transports::contradicted("the tag of a user's message names another sender");
  }
}

// --- The kind of a message ---

// Files send with tags like the program's, from calls that send nothing for the program.
bool is_own(std::uint64_t tag) {
  if ((tag & own_context) != 0) return true;
  const Thread *thread = threads::current;
  const std::uint64_t key = thread != nullptr ? thread->record->inside_key : 0;
  if (key == 0) return false;
  if (__atomic_load_n(&checks_left, __ATOMIC_RELAXED) > 0) [[unlikely]] {
    check(tag, key);
  }
  return has_messages_of_its_own[static_cast<int>(keys::procedure(key))];
}

// The bytes of the current send, if only the datatype knows them.
constinit thread_local std::size_t packed_bytes = 0;
std::size_t (*original_packed_size)(void *) = nullptr;

std::size_t seeing_packed_size(void *state) {
  packed_bytes = original_packed_size(state);
  return packed_bytes;
}

std::uint64_t datatype_of(const RequestParameters *parameters) {
  const bool given = (parameters->valid & RequestParameters::has_datatype) != 0;
  return given ? parameters->datatype : std::uint64_t{1} << element_shift;
}

std::uint64_t bytes_of(const void *buffer, std::size_t count, const RequestParameters *parameters) {
  const std::uint64_t datatype = datatype_of(parameters);
  switch (datatype & datatype_class) {
    case contiguous:
      return count * (datatype >> element_shift);
    case list: {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += static_cast<const Piece *>(buffer)[i].bytes;
      return sum;
    }
    default:
      return packed_bytes;
  }
}

// --- The functions of UCX that MPICH calls ---

using Send = void *(*)(void *, const void *, std::size_t, std::uint64_t, const RequestParameters *);
using Receive = void *(*)(void *, void *, std::size_t, std::uint64_t, std::uint64_t, const RequestParameters *);
using CreateEndpoint = Status (*)(void *, const EndpointParameters *, void **);
using GetAddress = Status (*)(void *, void **, std::size_t *);
using QueryWorker = Status (*)(void *, WorkerAttributes *);
using CreateDatatype = Status (*)(const GenericOperations *, void *, std::uint64_t *);

struct Original {
  Send send = nullptr;
  Send synchronous_send = nullptr;
  Receive receive = nullptr;
  CreateEndpoint create_endpoint = nullptr;
  GetAddress get_address = nullptr;
  QueryWorker query_worker = nullptr;
  CreateDatatype create_datatype = nullptr;
};
constinit Original original;

[[gnu::noinline]] void *see(Send send, void *endpoint, const void *buffer, std::size_t count, std::uint64_t tag,
                            const RequestParameters *parameters) {
  if (!inside::active || !is_own(tag)) return send(endpoint, buffer, count, tag, parameters);
  // RATIONALE: booked afterwards, because UCX queries a datatype's size; an additional query would disturb MPICH's
  // count of references.
  packed_bytes = 0;
  void *request = send(endpoint, buffer, count, tag, parameters);
  inside::sent(peers.find(key_of(endpoint)), bytes_of(buffer, count, parameters), operation_of(tag));
  return request;
}

// The same for the usual message, if the bytes are known beforehand: false if not, and nothing has been done.
[[gnu::always_inline]] bool see_at_once(void *endpoint, std::size_t count, std::uint64_t tag,
                                        const RequestParameters *parameters) {
  Thread *thread = threads::current;
  const std::uint64_t datatype = datatype_of(parameters);
  if ((tag & own_context) == 0 || has_operation(tag) || thread == nullptr) return false;
  return (datatype & datatype_class) == contiguous &&
         inside::sent_at_once(*thread, peers.find(key_of(endpoint)), count * (datatype >> element_shift));
}

void *seeing_send(void *endpoint, const void *buffer, std::size_t count, std::uint64_t tag,
                  const RequestParameters *parameters) {
  if (see_at_once(endpoint, count, tag, parameters)) [[likely]] {
    return original.send(endpoint, buffer, count, tag, parameters);
  }
  return see(original.send, endpoint, buffer, count, tag, parameters);
}

void *seeing_synchronous_send(void *endpoint, const void *buffer, std::size_t count, std::uint64_t tag,
                              const RequestParameters *parameters) {
  return see(original.synchronous_send, endpoint, buffer, count, tag, parameters);
}

[[gnu::noinline]] void *receive_of_operation(void *worker, void *buffer, std::size_t count, std::uint64_t tag,
                                             std::uint64_t mask, const RequestParameters *parameters) {
  if (inside::active) inside::posted(operation_of(tag));
  return original.receive(worker, buffer, count, tag, mask, parameters);
}

void *seeing_receive(void *worker, void *buffer, std::size_t count, std::uint64_t tag, std::uint64_t mask,
                     const RequestParameters *parameters) {
  if ((tag & own_context) != 0 && has_operation(tag)) [[unlikely]] {
    return receive_of_operation(worker, buffer, count, tag, mask, parameters);
  }
  return original.receive(worker, buffer, count, tag, mask, parameters);
}

Status seeing_create_endpoint(void *worker, const EndpointParameters *parameters, void **endpoint) {
  const Status status = original.create_endpoint(worker, parameters, endpoint);
  if (status == 0 && (parameters->valid & EndpointParameters::has_address) != 0) {
    peers.set(key_of(*endpoint), inside::endpoints::add(parameters->address, identity_bytes));
  }
  return status;
}

Status seeing_get_address(void *worker, void **address, std::size_t *bytes) {
  const Status status = original.get_address(worker, address, bytes);
  if (status == 0) inside::endpoints::add_own(*address, identity_bytes);
  return status;
}

Status seeing_query_worker(void *worker, WorkerAttributes *attributes) {
  const Status status = original.query_worker(worker, attributes);
  if (status == 0 && (attributes->valid & WorkerAttributes::has_address) != 0) {
    inside::endpoints::add_own(attributes->address, identity_bytes);
  }
  return status;
}

Status seeing_create_datatype(const GenericOperations *operations, void *context, std::uint64_t *datatype) {
  // MPICH has one set of functions for all its datatypes.
  if (original_packed_size == nullptr) original_packed_size = operations->packed_size;
  if (operations->packed_size != original_packed_size) {
    transports::contradicted("the bytes of some datatypes are not known");
    return original.create_datatype(operations, context, datatype);
  }
  GenericOperations ours = *operations;
  ours.packed_size = &seeing_packed_size;
  return original.create_datatype(&ours, context, datatype);
}

template <class Function>
bool replace(const char *name, Function &kept, Function ours) {
  auto *const found = reinterpret_cast<Function>(relocations::replace(name, reinterpret_cast<void *>(ours)));
  if (found != nullptr) kept = found;
  return found != nullptr;
}

template <class Function>
void put_back(const char *name, Function kept, Function ours) {
  if (kept == nullptr) return;
  relocations::put_back(name, reinterpret_cast<void *>(ours), reinterpret_cast<void *>(kept));
}

// --- The hook ---

bool prepare() {
  if (!replace("ucp_tag_send_nbx", original.send, &seeing_send)) return false;
  replace("ucp_tag_send_sync_nbx", original.synchronous_send, &seeing_synchronous_send);
  replace("ucp_tag_recv_nbx", original.receive, &seeing_receive);
  replace("ucp_ep_create", original.create_endpoint, &seeing_create_endpoint);
  replace("ucp_worker_get_address", original.get_address, &seeing_get_address);
  replace("ucp_worker_query", original.query_worker, &seeing_query_worker);
  replace("ucp_dt_create_generic", original.create_datatype, &seeing_create_datatype);
  return true;
}

bool in_use() { return !peers.empty(); }

const char *start(const transports::Library & /*library*/) {
  int major = 0;
  if (std::sscanf(counters_file::header()->library, "MPICH Version: %d.", &major) != 1 || major < 4 || major > 5) {
    return "the inside of this version of MPICH is not known";
  }
  return nullptr;
}

void stop() {
  put_back("ucp_tag_send_nbx", original.send, &seeing_send);
  put_back("ucp_tag_send_sync_nbx", original.synchronous_send, &seeing_synchronous_send);
  put_back("ucp_tag_recv_nbx", original.receive, &seeing_receive);
  put_back("ucp_ep_create", original.create_endpoint, &seeing_create_endpoint);
  put_back("ucp_worker_get_address", original.get_address, &seeing_get_address);
  put_back("ucp_worker_query", original.query_worker, &seeing_query_worker);
  put_back("ucp_dt_create_generic", original.create_datatype, &seeing_create_datatype);
}

}  // namespace
}  // namespace rankwise::ucx

// Messages within a node: MPICH without shared memory sends them the same way, MPICH with it does not. Readers find out
// which from the observed messages.
const rankwise::transports::Transport rankwise::mpich_hooks::ucx = {
    "ucx", RANKWISE_SEES_BETWEEN_NODES | RANKWISE_SEES_NONBLOCKING, ucx::prepare, ucx::in_use, ucx::start, ucx::stop};
