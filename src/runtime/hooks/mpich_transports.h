// The transports of MPICH and its derivatives. Included inside the namespaces of their builds.

// The value of MPI_TAG_UB; 0 if the library doesn't tell.
inline int largest_tag() {
  const auto get = reinterpret_cast<decltype(&declared::MPI_Comm_get_attr)>(library::function("PMPI_Comm_get_attr"));
  int *value = nullptr;
  int found = 0;
  if (get == nullptr || get(abi::comm_world, abi::tag_ub, &value, &found) != abi::success) return 0;
  return found != 0 ? *value : 0;
}

inline const char *start_libfabric() { return libfabric::start(largest_tag()); }

inline constexpr transports::Transport over_libfabric = {"libfabric",       libfabric::sees, libfabric::prepare,
                                                         libfabric::in_use, start_libfabric, libfabric::stop};

inline constexpr const transports::Transport *own_transports[] = {&ucx::hook, &over_libfabric};
inline constexpr std::size_t own_transport_count = sizeof own_transports / sizeof *own_transports;
