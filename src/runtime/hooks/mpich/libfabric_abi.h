// The parts of libfabric's structures that Rankwise needs to intercept calls between an MPI library and a provider: the
// beginnings of those in rdma/fabric.h, fi_domain.h, fi_endpoint.h, fi_cm.h and fi_tagged.h. Compared with 1.17; the
// same in 2.4 (which comes with Intel MPI 2021.18) and 2.5 (with MPICH 5.0.2), since 2.x keeps the binary interface of
// 1.x. Tables of functions begin with their own size, so that a shorter one is recognised.
#ifndef RANKWISE_HOOKS_MPICH_LIBFABRIC_ABI_H
#define RANKWISE_HOOKS_MPICH_LIBFABRIC_ABI_H

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace rankwise::libfabric {

using Address = std::uint64_t;  // fi_addr_t
inline constexpr Address no_address = ~Address{0};

enum : std::size_t { class_address_vector = 11 };  // FI_CLASS_AV
enum : int { command_enable = 6 };                 // FI_ENABLE
enum : std::uint32_t { format_string = 9 };        // FI_ADDR_STR

// fi_info
struct Info {
  Info *next;
  std::uint64_t capabilities;
  std::uint64_t mode;
  std::uint32_t address_format;
};

// fi_ops
struct Object;
struct ObjectFunctions {
  std::size_t size;
  int (*close)(Object *object);
  int (*bind)(Object *object, Object *other, std::uint64_t flags);
  int (*control)(Object *object, int command, void *argument);
};

// fid
struct Object {
  std::size_t kind;
  void *context;
  ObjectFunctions *functions;
};

// fid_av, fi_ops_av, fi_av_attr
struct AddressVector;
struct AddressVectorFunctions {
  std::size_t size;
  int (*insert)(AddressVector *vector, const void *addresses, std::size_t count, Address *inserted, std::uint64_t flags,
                void *context);
};
struct AddressVector {
  Object object;
  AddressVectorFunctions *functions;
};
struct AddressVectorAttributes {
  int type;
  int receive_context_bits;
};

// fi_msg_tagged
struct TaggedMessage {
  const iovec *pieces;
  void **descriptors;
  std::size_t piece_count;
  Address address;
  std::uint64_t tag;
  std::uint64_t ignored_bits;
  void *context;
  std::uint64_t data;
};

// fi_ops_tagged
struct Endpoint;
struct TaggedFunctions {
  std::size_t size;
  ssize_t (*recv)(Endpoint *endpoint, void *buffer, std::size_t bytes, void *descriptor, Address source,
                  std::uint64_t tag, std::uint64_t ignored_bits, void *context);
  ssize_t (*recvv)(Endpoint *endpoint, const iovec *pieces, void **descriptors, std::size_t count, Address source,
                   std::uint64_t tag, std::uint64_t ignored_bits, void *context);
  ssize_t (*recvmsg)(Endpoint *endpoint, const TaggedMessage *message, std::uint64_t flags);
  ssize_t (*send)(Endpoint *endpoint, const void *buffer, std::size_t bytes, void *descriptor, Address destination,
                  std::uint64_t tag, void *context);
  ssize_t (*sendv)(Endpoint *endpoint, const iovec *pieces, void **descriptors, std::size_t count, Address destination,
                   std::uint64_t tag, void *context);
  ssize_t (*sendmsg)(Endpoint *endpoint, const TaggedMessage *message, std::uint64_t flags);
  ssize_t (*inject)(Endpoint *endpoint, const void *buffer, std::size_t bytes, Address destination, std::uint64_t tag);
  ssize_t (*senddata)(Endpoint *endpoint, const void *buffer, std::size_t bytes, void *descriptor, std::uint64_t data,
                      Address destination, std::uint64_t tag, void *context);
  ssize_t (*injectdata)(Endpoint *endpoint, const void *buffer, std::size_t bytes, std::uint64_t data,
                        Address destination, std::uint64_t tag);
};

// fi_ops_ep, fi_ops_cm, fid_ep
struct EndpointFunctions {
  std::size_t size;
  void *cancel;
  void *getopt;
  void *setopt;
  int (*tx_ctx)(Endpoint *scalable, int index, void *attributes, Endpoint **endpoint, void *context);
  int (*rx_ctx)(Endpoint *scalable, int index, void *attributes, Endpoint **endpoint, void *context);
};
struct ConnectionFunctions {
  std::size_t size;
  void *setname;
  int (*getname)(Object *endpoint, void *address, std::size_t *bytes);
};
struct Endpoint {
  Object object;
  EndpointFunctions *functions;
  ConnectionFunctions *connection;
  void *messages;
  void *remote_memory;
  TaggedFunctions *tagged;
};

// fi_ops_domain, fid_domain
struct Domain;
struct DomainFunctions {
  std::size_t size;
  int (*av_open)(Domain *domain, AddressVectorAttributes *attributes, AddressVector **vector, void *context);
  void *cq_open;
  int (*endpoint)(Domain *domain, Info *info, Endpoint **endpoint, void *context);
  int (*scalable_ep)(Domain *domain, Info *info, Endpoint **endpoint, void *context);
  void *cntr_open;
  void *poll_open;
  void *stx_ctx;
  int (*srx_ctx)(Domain *domain, void *attributes, Endpoint **endpoint, void *context);
  void *query_atomic;
  void *query_collective;
  int (*endpoint2)(Domain *domain, Info *info, Endpoint **endpoint, std::uint64_t flags, void *context);
};
struct Domain {
  Object object;
  DomainFunctions *functions;
};

// fi_ops_fabric, fid_fabric
struct Fabric;
struct FabricFunctions {
  std::size_t size;
  int (*domain)(Fabric *fabric, Info *info, Domain **domain, void *context);
  void *passive_ep;
  void *eq_open;
  void *wait_open;
  void *trywait;
  int (*domain2)(Fabric *fabric, Info *info, Domain **domain, std::uint64_t flags, void *context);
};
struct Fabric {
  Object object;
  FabricFunctions *functions;
};

}  // namespace rankwise::libfabric

#endif
