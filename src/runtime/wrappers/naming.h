// Enters communicators under their names. Included inside the namespace of a build.
//
// Nothing here sends a message: every member derives the same name from its own data (docs/explanation/how-it-works.md,
// "Names").

namespace construction {

using communicators::Communicator;
using communicators::Origin;

inline bool is_inter(MPI_Comm comm) {
  int flag = 0;
  return queries.Comm_test_inter(comm, &flag) == abi::success && flag != 0;
}

inline Communicator *add(MPI_Comm comm, Origin origin) {
  int rank = -1;
  int size = 0;
  int remote_size = 0;
  queries.Comm_rank(comm, &rank);
  queries.Comm_size(comm, &size);
  if ((origin.flags & RANKWISE_COMMUNICATOR_INTER) != 0) queries.Comm_remote_size(comm, &remote_size);
  return communicators::add(abi::bits(comm), origin, rank, size, remote_size);
}

// The first of all processes of an intercommunicator, and a hash that both sides agree on. Processes of another world
// have no rank in ours: they come last, and the other side, in its own world, finds another name.
struct BothGroups {
  std::uint64_t hash = 0;
  int first = -1;

  explicit BothGroups(MPI_Comm comm) {
    const Members local{Group(comm, Group::Side::local)};
    const Members remote{Group(comm, Group::Side::remote)};
    const auto local_order = static_cast<unsigned>(local.first);
    const auto remote_order = static_cast<unsigned>(remote.first);
    const bool local_first = local_order < remote_order || (local_order == remote_order && local.hash < remote.hash);
    hash = local_first ? chain(local.hash, remote.hash) : chain(remote.hash, local.hash);
    first = local_first ? local.first : remote.first;
  }
};

// A communicator of a session, made without a parent: named by its group, a text that all members give, and the number
// of previous uses of both.
inline void add_from_group(MPI_Comm comm, Origin origin, const char *tag) {
  for (const char *c = tag; *c != '\0'; ++c)
    origin.group_hash = chain(origin.group_hash, static_cast<unsigned char>(*c));
  origin.flags |= RANKWISE_COMMUNICATOR_BY_GROUP;
  origin.sequence = occurrences::next(chain(origin.group_hash, static_cast<unsigned char>(origin.letter)));
  Communicator *added = add(comm, origin);
  if (added == nullptr || added->record == nullptr) return;
  snprintf(added->record->string_tag, sizeof added->record->string_tag, "%s", tag);
}

inline void add_world() {
  Origin origin;
  origin.letter = 'W';
  if (world::has_new_order()) origin.flags = RANKWISE_COMMUNICATOR_REORDERED;
  Communicator *added = add(world::communicator(), origin);
  if (added != nullptr) added->is_world = true;
}

// Whether this leads to the processes that spawned ours.
inline bool is_parent(MPI_Comm comm) {
  MPI_Comm parent = abi::comm_null;
  return queries.Comm_get_parent(&parent) == abi::success && parent == comm && comm != abi::comm_null;
}

// A communicator whose creation we did not see: MPI_COMM_SELF, or one from elsewhere. Several threads may use it for
// the first time at once.
inline Communicator *add_found(MPI_Comm comm) {
  static Lock adding;
  const Guard guard(adding);
  Communicator *added_meanwhile = communicators::table.find(abi::bits(comm));
  if (added_meanwhile != nullptr) return added_meanwhile;
  Origin origin;
  if (comm == abi::comm_self) {
    origin.letter = 'S';
    origin.leader = counters_file::header()->world_rank;
    return add(comm, origin);
  }
  if (is_parent(comm)) {
    origin.letter = 'P';
    origin.flags = RANKWISE_COMMUNICATOR_INTER;
    return add(comm, origin);
  }
  origin.letter = 'U';
  origin.flags = RANKWISE_COMMUNICATOR_UNKNOWN_ORIGIN;
  if (is_inter(comm)) {
    const BothGroups groups(comm);
    origin.flags |= RANKWISE_COMMUNICATOR_INTER;
    origin.group_hash = groups.hash;
    origin.leader = groups.first;
  } else {
    const Members members{Group(comm, Group::Side::local)};
    origin.group_hash = members.hash;
    origin.leader = members.first;
  }
  origin.sequence = occurrences::next(chain(origin.group_hash, 'U'));
  return add(comm, origin);
}

// A child whose parent is an intercommunicator may be one, too.
inline void mark_inter(MPI_Comm child, const Communicator *parent, Origin &origin) {
  if (parent != nullptr && parent->inter && is_inter(child)) origin.flags |= RANKWISE_COMMUNICATOR_INTER;
}

}  // namespace construction

// The communicator of a call that was not known before. Not if it is invalid: MPICH returns MPI_SUCCESS for any error
// that an error handler of the program has seen.
[[gnu::cold, gnu::noinline]] inline communicators::Communicator *adopt(MPI_Comm comm) {
  return comm == abi::comm_null ? nullptr : construction::add_found(comm);
}
