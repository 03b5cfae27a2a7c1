// Queries to the MPI library, through the PMPI names so that no tool counts them.
// Included inside the namespace of a build.

// The program's functions of a generalised request, the same in every ABI.
using MPI_Grequest_query_function = int(void *, MPI_Status *);
using MPI_Grequest_free_function = int(void *);
using MPI_Grequest_cancel_function = int(void *, int);

// Every procedure as declared by the standard, for its type.
namespace declared {
#include "../generated/declarations.inc"
}

struct Queries {
#define RANKWISE_QUERY(name) decltype(&declared::MPI_##name) name = nullptr;
  RANKWISE_QUERIES(RANKWISE_QUERY)
#undef RANKWISE_QUERY

  // False if the library lacks one of them.
  bool find() {
    bool all = true;
#define RANKWISE_QUERY(name)                                                 \
  name = reinterpret_cast<decltype(name)>(library::function("PMPI_" #name)); \
  all = all && name != nullptr;
    RANKWISE_QUERIES(RANKWISE_QUERY)
#undef RANKWISE_QUERY
    return all;
  }
};

inline Queries queries;

[[gnu::noinline]] inline std::uint64_t ask_datatype_size(MPI_Datatype datatype) {
  // Assumed to be valid: MPICH returns MPI_SUCCESS for any error that an error handler of the program has seen.
  if (datatype == abi::datatype_null) return 0;
  MPI_Count bytes = 0;
  return queries.Type_size_x(datatype, &bytes) == abi::success && bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

[[gnu::always_inline]] inline std::uint64_t datatype_size(MPI_Datatype datatype) {
  const std::int64_t known = abi::size_in_handle(datatype);
  if (known >= 0) [[likely]] {
    return static_cast<std::uint64_t>(known);
  }
  return ask_datatype_size(datatype);
}

// The effect of a reduction's operation on its result: rankwise_traits.
//
// RATIONALE: a handle that the program made may be reused for another operation, so the library is queried at each
// call. The result for a predefined operation can be cached by the handles: it is never reused, and no datatype of the
// program has the handle of an integer type.
[[gnu::noinline]] inline std::uint64_t ask_reduction_traits(LatestReduction &latest, MPI_Op op, MPI_Datatype datatype) {
  const bool is_arithmetic = abi::is_arithmetic(op);
  if (is_arithmetic || abi::is_exact(op)) {
    const bool rounds = is_arithmetic && !abi::is_whole_number(datatype);
    latest = {abi::bits(op), abi::bits(datatype), rounds ? std::uint64_t{RANKWISE_TRAITS_ROUNDS} : 0};
    return latest.traits;
  }
  // (As with datatypes: MPICH's success may hide an error.)
  if (op == abi::op_null) return 0;
  int commutes = 0;
  queries.Op_commutative(op, &commutes);
  return RANKWISE_TRAITS_ROUNDS | (commutes != 0 ? 0 : RANKWISE_TRAITS_NOT_COMMUTATIVE);
}

[[gnu::always_inline]] inline std::uint64_t reduction_traits(LatestReduction &latest, MPI_Op op,
                                                             MPI_Datatype datatype) {
  if (latest.operation == abi::bits(op) && latest.datatype == abi::bits(datatype)) [[likely]] {
    return latest.traits;
  }
  return ask_reduction_traits(latest, op, datatype);
}

// 0 single ... 3 multiple, -1 if the library returns another value.
inline int thread_level() {
  int provided = -1;
  queries.Query_thread(&provided);
  for (int i = 0; i < 4; ++i) {
    if (abi::thread_levels[i] == provided) return i;
  }
  return -1;
}
