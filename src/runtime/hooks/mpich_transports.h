// The transports of MPICH and its derivatives. Included inside the namespaces of their builds.

// The value of MPI_TAG_UB; 0 if the library doesn't report it.
inline int largest_tag() {
  const auto get = reinterpret_cast<decltype(&declared::MPI_Comm_get_attr)>(library::function("PMPI_Comm_get_attr"));
  int *value = nullptr;
  int found = 0;
  if (get == nullptr || get(abi::comm_world, abi::tag_ub, &value, &found) != abi::success) return 0;
  return found != 0 ? *value : 0;
}

inline constexpr transports::Library own_library = {largest_tag};
inline constexpr const auto &own_transports = mpich_hooks::all;
