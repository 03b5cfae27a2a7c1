// MPICH and Intel MPI over libfabric.
#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

#include "../../counters_file.h"
#include "../../generated/procedures.h"
#include "../../inside/endpoints.h"
#include "../../inside/inside.h"
#include "../../keys.h"
#include "../../thread.h"
#include "../peer_table.h"
#include "../relocations.h"
#include "hooks.h"
#include "libfabric_abi.h"
#include "libfabric_tables.h"
#include "match_bits.h"

namespace rankwise::libfabric {

// The peers in an address vector.
struct Peers {
  PeerTable table;
  std::uint64_t inserted = 0;        // addresses so far
  Address index_mask = ~Address{0};  // without the bits that choose one of the peer's receive contexts

  std::uint32_t find(Address address) const { return table.find(address & index_mask); }
};

namespace {

using OurFabric = Copy<FabricFunctions>;
using OurDomain = Copy<DomainFunctions>;
using OurVector = Copy<AddressVectorFunctions>;
using OurObject = Copy<ObjectFunctions>;
using OurEndpoint = Copy<EndpointFunctions>;
using OurTagged = Copy<TaggedFunctions>;

constinit Copies copies;
constinit bool tables_are_known = true;
constinit bool addresses_are_known = true;
constinit bool has_endpoint = false;
constinit bool addresses_are_strings = false;
constinit std::size_t address_bytes = 0;  // of this process's own address

constinit MatchBits match_bits;
constinit Votes votes;

// --- The kind of a message ---

void see(const Peers *peers, Address address, std::uint64_t bytes, std::uint64_t tag) {
  if (!inside::active || match_bits.is_acknowledgement(tag)) return;
  Thread *thread = threads::current;
  const std::uint64_t key = thread != nullptr ? thread->record->inside_key : 0;
  const Procedure procedure = key != 0 ? keys::procedure(key) : Procedure::none;
  const bool marked = match_bits.is_own(tag);
  if (votes.wanted()) [[unlikely]] {
    votes.hear(procedure, marked);
    if (votes.lost()) return transports::contradicted("the tags of libfabric's messages are not what is known");
  }
  // Files and windows send with tags like the program's, from calls that send nothing for the program.
  if (!marked && !has_messages_of_its_own[static_cast<int>(procedure)]) return;
  if (!match_bits.is_whole(tag)) {
    // Processes that meet (MPI_Comm_accept, MPI_Comm_spawn, ...) use separate marks for the messages of their
    // agreement.
    if (!marked || constructor_letter(procedure) != '?') return;
    return transports::contradicted("messages are sent in a way that does not tell their bytes");
  }
  const std::uint32_t peer = peers != nullptr ? peers->find(address) : PeerTable::unknown;
  const inside::Operation operation = match_bits.operation(tag);
  if (operation.key == 0 && thread != nullptr && inside::sent_at_once(*thread, peer, bytes)) return;
  inside::sent(peer, bytes, operation);
}

std::uint64_t bytes_of(const iovec *pieces, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += pieces[i].iov_len;
  return sum;
}

void see_receive(std::uint64_t tag) {
  if (inside::active && match_bits.is_own(tag)) inside::posted(match_bits.operation(tag));
}

// --- An endpoint's functions. If a provider can't accept a message now (-FI_EAGAIN), it is offered again ---

ssize_t seeing_send(Endpoint *endpoint, const void *buffer, std::size_t bytes, void *descriptor, Address address,
                    std::uint64_t tag, void *context) {
  const OurTagged &ours = OurTagged::of(endpoint->tagged);
  const ssize_t rc = ours.original->send(endpoint, buffer, bytes, descriptor, address, tag, context);
  if (rc == 0) see(ours.peers, address, bytes, tag);
  return rc;
}

ssize_t seeing_sendv(Endpoint *endpoint, const iovec *pieces, void **descriptors, std::size_t count, Address address,
                     std::uint64_t tag, void *context) {
  const OurTagged &ours = OurTagged::of(endpoint->tagged);
  const ssize_t rc = ours.original->sendv(endpoint, pieces, descriptors, count, address, tag, context);
  if (rc == 0) see(ours.peers, address, bytes_of(pieces, count), tag);
  return rc;
}

ssize_t seeing_sendmsg(Endpoint *endpoint, const TaggedMessage *message, std::uint64_t flags) {
  const OurTagged &ours = OurTagged::of(endpoint->tagged);
  const ssize_t rc = ours.original->sendmsg(endpoint, message, flags);
  if (rc == 0) see(ours.peers, message->address, bytes_of(message->pieces, message->piece_count), message->tag);
  return rc;
}

ssize_t seeing_inject(Endpoint *endpoint, const void *buffer, std::size_t bytes, Address address, std::uint64_t tag) {
  const OurTagged &ours = OurTagged::of(endpoint->tagged);
  const ssize_t rc = ours.original->inject(endpoint, buffer, bytes, address, tag);
  if (rc == 0) see(ours.peers, address, bytes, tag);
  return rc;
}

ssize_t seeing_senddata(Endpoint *endpoint, const void *buffer, std::size_t bytes, void *descriptor, std::uint64_t data,
                        Address address, std::uint64_t tag, void *context) {
  const OurTagged &ours = OurTagged::of(endpoint->tagged);
  const ssize_t rc = ours.original->senddata(endpoint, buffer, bytes, descriptor, data, address, tag, context);
  if (rc == 0) see(ours.peers, address, bytes, tag);
  return rc;
}

ssize_t seeing_injectdata(Endpoint *endpoint, const void *buffer, std::size_t bytes, std::uint64_t data,
                          Address address, std::uint64_t tag) {
  const OurTagged &ours = OurTagged::of(endpoint->tagged);
  const ssize_t rc = ours.original->injectdata(endpoint, buffer, bytes, data, address, tag);
  if (rc == 0) see(ours.peers, address, bytes, tag);
  return rc;
}

ssize_t seeing_recv(Endpoint *endpoint, void *buffer, std::size_t bytes, void *descriptor, Address source,
                    std::uint64_t tag, std::uint64_t ignored_bits, void *context) {
  see_receive(tag);
  return OurTagged::of(endpoint->tagged)
      .original->recv(endpoint, buffer, bytes, descriptor, source, tag, ignored_bits, context);
}

ssize_t seeing_recvv(Endpoint *endpoint, const iovec *pieces, void **descriptors, std::size_t count, Address source,
                     std::uint64_t tag, std::uint64_t ignored_bits, void *context) {
  see_receive(tag);
  return OurTagged::of(endpoint->tagged)
      .original->recvv(endpoint, pieces, descriptors, count, source, tag, ignored_bits, context);
}

ssize_t seeing_recvmsg(Endpoint *endpoint, const TaggedMessage *message, std::uint64_t flags) {
  see_receive(message->tag);
  return OurTagged::of(endpoint->tagged).original->recvmsg(endpoint, message, flags);
}

void watch_messages(Endpoint *endpoint, Peers *peers) {
  if (endpoint->tagged == nullptr || endpoint->tagged->send == &seeing_send) return;
  auto *ours = copies.replace<TaggedFunctions>(endpoint->tagged);
  if (ours == nullptr) {
    tables_are_known = false;
    return;
  }
  ours->peers = peers;
  TaggedFunctions &functions = ours->functions;
  functions.send = &seeing_send;
  functions.sendv = &seeing_sendv;
  functions.sendmsg = &seeing_sendmsg;
  functions.inject = &seeing_inject;
  functions.senddata = &seeing_senddata;
  functions.injectdata = &seeing_injectdata;
  functions.recv = &seeing_recv;
  functions.recvv = &seeing_recvv;
  functions.recvmsg = &seeing_recvmsg;
  has_endpoint = true;
}

// --- Creation of an endpoint: it is opened, bound to an address vector, and enabled ---

std::size_t length_of(const char *address) {
  return addresses_are_strings ? strnlen(address, address_bytes) : address_bytes;
}

void learn_own_address(Endpoint *endpoint) {
  char address[256];
  std::size_t bytes = sizeof address;
  const ConnectionFunctions *functions = endpoint->connection;
  if (functions == nullptr || functions->size < sizeof *functions) return;
  if (functions->getname(&endpoint->object, address, &bytes) != 0 || bytes > sizeof address) return;
  address_bytes = bytes;
  inside::endpoints::add_own(address, length_of(address));
}

int seeing_insert(AddressVector *vector, const void *addresses, std::size_t count, Address *inserted,
                  std::uint64_t flags, void *context) {
  OurVector &ours = OurVector::of(vector->functions);
  const int rc = ours.original->insert(vector, addresses, count, inserted, flags, context);
  if (rc < 0 || address_bytes == 0) {
    if (rc >= 0) addresses_are_known = false;
    return rc;
  }
  Peers &peers = *ours.peers;
  const auto *address = static_cast<const char *>(addresses);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = length_of(address);
    const Address place = inserted != nullptr ? inserted[i] : peers.inserted;
    ++peers.inserted;
    if (place != no_address) peers.table.set(place & peers.index_mask, inside::endpoints::add(address, bytes));
    address += addresses_are_strings ? bytes + 1 : bytes;
  }
  return rc;
}

int seeing_open_vector(Domain *domain, AddressVectorAttributes *attributes, AddressVector **vector, void *context) {
  const int rc = OurDomain::of(domain->functions).original->av_open(domain, attributes, vector, context);
  if (rc != 0) return rc;
  void *memory = std::malloc(sizeof(Peers));
  auto *ours = memory != nullptr ? copies.replace<AddressVectorFunctions>((*vector)->functions) : nullptr;
  if (ours == nullptr) {
    std::free(memory);
    tables_are_known = false;
    return rc;
  }
  ours->peers = new (memory) Peers;
  const int bits = attributes != nullptr ? attributes->receive_context_bits : 0;
  ours->peers->index_mask = bits > 0 && bits < 64 ? no_address >> bits : no_address;
  ours->functions.insert = &seeing_insert;
  return rc;
}

int seeing_bind(Object *object, Object *other, std::uint64_t flags) {
  OurObject &ours = OurObject::of(object->functions);
  const int rc = ours.original->bind(object, other, flags);
  if (rc != 0 || other->kind != class_address_vector) return rc;
  auto *vector = reinterpret_cast<AddressVector *>(other);
  if (vector->functions->insert != &seeing_insert) return rc;
  ours.peers = OurVector::of(vector->functions).peers;
  TaggedFunctions *tagged = reinterpret_cast<Endpoint *>(object)->tagged;
  if (tagged != nullptr && tagged->send == &seeing_send) OurTagged::of(tagged).peers = ours.peers;
  return rc;
}

int seeing_control(Object *object, int command, void *argument) {
  const OurObject &ours = OurObject::of(object->functions);
  const int rc = ours.original->control(object, command, argument);
  if (rc == 0 && command == command_enable) {
    auto *endpoint = reinterpret_cast<Endpoint *>(object);
    watch_messages(endpoint, ours.peers);  // some providers choose their functions now
    learn_own_address(endpoint);
  }
  return rc;
}

void watch(Endpoint *endpoint, Peers *peers) {
  auto *ours = copies.replace<ObjectFunctions>(endpoint->object.functions);
  if (ours == nullptr) {
    tables_are_known = false;
    return;
  }
  ours->peers = peers;
  ours->functions.bind = &seeing_bind;
  ours->functions.control = &seeing_control;
  watch_messages(endpoint, peers);
}

int seeing_open_transmit_context(Endpoint *scalable, int index, void *attributes, Endpoint **endpoint, void *context) {
  const int rc = OurEndpoint::of(scalable->functions).original->tx_ctx(scalable, index, attributes, endpoint, context);
  if (rc == 0) watch(*endpoint, OurObject::of(scalable->object.functions).peers);
  return rc;
}

int seeing_open_receive_context(Endpoint *scalable, int index, void *attributes, Endpoint **endpoint, void *context) {
  const int rc = OurEndpoint::of(scalable->functions).original->rx_ctx(scalable, index, attributes, endpoint, context);
  if (rc == 0) watch_messages(*endpoint, nullptr);
  return rc;
}

int seeing_open_shared_receive_context(Domain *domain, void *attributes, Endpoint **endpoint, void *context) {
  const int rc = OurDomain::of(domain->functions).original->srx_ctx(domain, attributes, endpoint, context);
  if (rc == 0) watch_messages(*endpoint, nullptr);
  return rc;
}

void note_address_format(const Info *info) {
  addresses_are_strings = info != nullptr && info->address_format == format_string;
}

int seeing_open_endpoint(Domain *domain, Info *info, Endpoint **endpoint, void *context) {
  const int rc = OurDomain::of(domain->functions).original->endpoint(domain, info, endpoint, context);
  if (rc != 0) return rc;
  note_address_format(info);
  watch(*endpoint, nullptr);
  return rc;
}

int seeing_open_endpoint2(Domain *domain, Info *info, Endpoint **endpoint, std::uint64_t flags, void *context) {
  const int rc = OurDomain::of(domain->functions).original->endpoint2(domain, info, endpoint, flags, context);
  if (rc != 0) return rc;
  note_address_format(info);
  watch(*endpoint, nullptr);
  return rc;
}

int seeing_open_scalable_endpoint(Domain *domain, Info *info, Endpoint **endpoint, void *context) {
  const int rc = OurDomain::of(domain->functions).original->scalable_ep(domain, info, endpoint, context);
  if (rc != 0) return rc;
  note_address_format(info);
  watch(*endpoint, nullptr);
  auto *ours = copies.replace<EndpointFunctions>((*endpoint)->functions);
  if (ours == nullptr) {
    tables_are_known = false;
  } else {
    ours->functions.tx_ctx = &seeing_open_transmit_context;
    ours->functions.rx_ctx = &seeing_open_receive_context;
  }
  return rc;
}

void watch(Domain *domain) {
  auto *ours = copies.replace<DomainFunctions>(domain->functions, offsetof(DomainFunctions, endpoint2));
  if (ours == nullptr) {
    tables_are_known = false;
    return;
  }
  DomainFunctions &functions = ours->functions;
  functions.av_open = &seeing_open_vector;
  functions.endpoint = &seeing_open_endpoint;
  functions.scalable_ep = &seeing_open_scalable_endpoint;
  functions.srx_ctx = &seeing_open_shared_receive_context;
  if (functions.endpoint2 != nullptr) functions.endpoint2 = &seeing_open_endpoint2;
}

int seeing_open_domain(Fabric *fabric, Info *info, Domain **domain, void *context) {
  const int rc = OurFabric::of(fabric->functions).original->domain(fabric, info, domain, context);
  if (rc == 0) watch(*domain);
  return rc;
}

int seeing_open_domain2(Fabric *fabric, Info *info, Domain **domain, std::uint64_t flags, void *context) {
  const int rc = OurFabric::of(fabric->functions).original->domain2(fabric, info, domain, flags, context);
  if (rc == 0) watch(*domain);
  return rc;
}

// --- How the library finds libfabric: like any other library, or by dlopen and dlvsym (Intel MPI) ---

using OpenFabric = int (*)(void *attributes, Fabric **fabric, void *context);
using FindVersion = void *(*)(void *handle, const char *name, const char *version);

constinit OpenFabric open_fabric = nullptr;
constinit bool open_fabric_is_linked = false;
constinit FindVersion find_version = nullptr;

int seeing_open_fabric(void *attributes, Fabric **fabric, void *context) {
  const int rc = open_fabric(attributes, fabric, context);
  if (rc != 0) return rc;
  auto *ours = copies.replace<FabricFunctions>((*fabric)->functions, offsetof(FabricFunctions, domain2));
  if (ours == nullptr) {
    tables_are_known = false;
    return rc;
  }
  ours->functions.domain = &seeing_open_domain;
  if (ours->functions.domain2 != nullptr) ours->functions.domain2 = &seeing_open_domain2;
  return rc;
}

void *seeing_find_version(void *handle, const char *name, const char *version) {
  void *found = find_version(handle, name, version);
  if (found == nullptr || name == nullptr || strcmp(name, "fi_fabric") != 0) return found;
  open_fabric = reinterpret_cast<OpenFabric>(found);
  return reinterpret_cast<void *>(&seeing_open_fabric);
}

// --- The hook ---

bool is_set(const char *variable) {
  const char *value = std::getenv(variable);
  if (value == nullptr) return false;
  for (const char *yes : {"1", "y", "yes", "t", "true", "on"}) {
    if (strcasecmp(value, yes) == 0) return true;
  }
  return false;
}

bool is(const char *variable, const char *wanted) {
  const char *value = std::getenv(variable);
  return value != nullptr && strcasecmp(value, wanted) == 0;
}

bool prepare() {
  open_fabric =
      reinterpret_cast<OpenFabric>(relocations::replace("fi_fabric", reinterpret_cast<void *>(&seeing_open_fabric)));
  open_fabric_is_linked = open_fabric != nullptr;
  if (open_fabric_is_linked) return true;
  find_version =
      reinterpret_cast<FindVersion>(relocations::replace("dlvsym", reinterpret_cast<void *>(&seeing_find_version)));
  return find_version != nullptr;
}

// An unknown state may mean that it is in use.
bool in_use() { return has_endpoint || !tables_are_known; }

const char *start(const transports::Library &library) {
  if (!tables_are_known) return "the inside of this version of libfabric is not known";
  if (!addresses_are_known) return "libfabric does not tell the addresses of processes";
  if (is("MPIR_CVAR_CH4_OFI_ENABLE_TAGGED", "0")) return "messages are sent without tags";
  match_bits = MatchBits(counters_file::header()->library, library.largest_tag());
  if (!match_bits.known()) return "the tags of this version of the MPI library are not known";
  const bool nothing_local = is_set("MPIR_CVAR_NOLOCAL");
  const bool intel_without_memory = is("I_MPI_FABRICS", "ofi") && is("I_MPI_COLL_INTRANODE", "pt2pt");
  if (match_bits.is_intel() ? intel_without_memory : nothing_local) transports::also_sees(RANKWISE_SEES_WITHIN_NODE);
  return nullptr;
}

void stop() {
  copies.restore();
  if (open_fabric_is_linked) {
    relocations::put_back("fi_fabric", reinterpret_cast<void *>(&seeing_open_fabric),
                          reinterpret_cast<void *>(open_fabric));
  }
  if (find_version != nullptr) {
    relocations::put_back("dlvsym", reinterpret_cast<void *>(&seeing_find_version),
                          reinterpret_cast<void *>(find_version));
  }
}

}  // namespace
}  // namespace rankwise::libfabric

// Messages within a node: by default most runs use shared memory for them.
const rankwise::transports::Transport rankwise::mpich_hooks::libfabric = {
    "libfabric",        RANKWISE_SEES_BETWEEN_NODES | RANKWISE_SEES_NONBLOCKING,
    libfabric::prepare, libfabric::in_use,
    libfabric::start,   libfabric::stop};
