// The parts of ucp/api/ucp.h that are used, so that building does not need it: checked with UCX 1.13 and 1.20. These
// structures state which of their members are valid, and grow only at their ends.
#ifndef RANKWISE_HOOKS_MPICH_UCX_ABI_H
#define RANKWISE_HOOKS_MPICH_UCX_ABI_H

#include <cstddef>
#include <cstdint>

namespace rankwise::ucx {

using Status = int;  // 0 = success

struct EndpointParameters {  // ucp_ep_params_t
  static constexpr std::uint64_t has_address = 1;
  std::uint64_t valid;
  const void *address;
};

struct WorkerAttributes {  // ucp_worker_attr_t
  static constexpr std::uint64_t has_address = 2;
  std::uint64_t valid;
  int thread_mode;
  std::uint32_t address_flags;
  const void *address;
  std::size_t address_bytes;
};

struct RequestParameters {  // ucp_request_param_t
  static constexpr std::uint32_t has_datatype = 8;
  std::uint32_t valid;
  std::uint32_t flags;
  void *request;
  void *callback;
  std::uint64_t datatype;
};

// The lowest bits of a datatype; in a contiguous one the others are the bytes of an element.
enum DatatypeClass : std::uint64_t { contiguous = 0, list = 2, generic = 7, datatype_class = 7 };
inline constexpr unsigned element_shift = 3;

struct Piece {  // ucp_dt_iov_t
  const void *buffer;
  std::size_t bytes;
};

struct GenericOperations {  // ucp_generic_dt_ops_t
  void *(*start_pack)(void *context, const void *buffer, std::size_t count);
  void *(*start_unpack)(void *context, void *buffer, std::size_t count);
  std::size_t (*packed_size)(void *state);
  std::size_t (*pack)(void *state, std::size_t offset, void *target, std::size_t most);
  Status (*unpack)(void *state, std::size_t offset, const void *source, std::size_t bytes);
  void (*finish)(void *state);
};

// An address begins with the identity of the worker that receives under it, which is completely within these bytes.
inline constexpr std::size_t identity_bytes = 16;

}  // namespace rankwise::ucx

#endif
