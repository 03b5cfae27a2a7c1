// MPI_COMM_WORLD as the program sees it. Included inside the namespace of a build.

namespace world {

// The library's MPI_COMM_WORLD, whose handle the program has, and the communicator that stands in its place
// (world_order.h). The same unless `rankwise run --place` has changed the order.
inline MPI_Comm plain{};
inline MPI_Comm ordered{};

[[gnu::always_inline]] inline MPI_Comm in_order(MPI_Comm comm) { return comm == plain ? ordered : comm; }

inline bool has_new_order() { return ordered != plain; }

// With the ranks that the program sees.
inline MPI_Comm communicator() { return in_order(abi::comm_world); }

}  // namespace world
