// Collective decisions: whether all processes continue with a step of the reordering or give it up. Included inside the
// namespace of a build.

namespace reordering_here {

// Errors on private communicators are only noted: the program's handlers never see them.
//
// RATIONALE: a private handler, because the numbers of MPI_ERRORS_RETURN differ even between libraries with the
// standard ABI. MPICH returns MPI_SUCCESS if such a handler has been called, so only the note counts.
inline thread_local bool trouble = false;
inline void note_trouble(MPI_Comm *, int *, ...) { trouble = true; }

inline bool only_note_errors(MPI_Comm comm) {
  using Create = int (*)(void (*)(MPI_Comm *, int *, ...), MPI_Errhandler *);
  MPI_Errhandler handler{};
  if (!own::ask<Create>("PMPI_Comm_create_errhandler", &note_trouble, &handler)) return false;
  const bool set = RANKWISE_ASK(Comm_set_errhandler, comm, handler);
  return RANKWISE_ASK(Errhandler_free, &handler) && set;
}

// Gives `to` the error handler of `from`, as a constructor of MPI's own does (MPI 4.1, section 9.3.1).
inline bool inherit_errors(MPI_Comm from, MPI_Comm to) {
  MPI_Errhandler handler{};
  if (!RANKWISE_ASK(Comm_get_errhandler, from, &handler)) return false;
  const bool set = RANKWISE_ASK(Comm_set_errhandler, to, handler);
  return RANKWISE_ASK(Errhandler_free, &handler) && set;
}

inline void both(void *one, void *other, int *count, MPI_Datatype *) {
  const auto *these = static_cast<const bool *>(one);
  auto *those = static_cast<bool *>(other);
  for (int i = 0; i < *count; ++i) those[i] = those[i] && these[i];
}

// Collective: whether all processes are fine. Needs no memory.
inline bool agree(MPI_Comm comm, bool fine) {
  using Create = int (*)(void (*)(void *, void *, int *, MPI_Datatype *), int, MPI_Op *);
  MPI_Op op{};
  if (!own::ask<Create>("PMPI_Op_create", &both, 1, &op)) return false;
  static_assert(sizeof(bool) == 1);  // a byte of MPI's
  const bool mine = fine && !trouble;
  bool all = false;
  const bool done = RANKWISE_ASK(Allreduce, &mine, &all, 1, abi::byte, op, comm);
  return RANKWISE_ASK(Op_free, &op) && done && all && !trouble;
}

}  // namespace reordering_here
