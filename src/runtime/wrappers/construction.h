// Rules of calls that make communicators. Included inside the namespace of a build.

// The origin of a communicator that the call has made.
inline communicators::Origin Call::origin_of_made() const {
  communicators::Origin origin;
  origin.procedure = procedure_;
  origin.letter = constructor_letter(procedure_);
  origin.site = site_;
  return origin;
}

// The same for one that is numbered among its parent's. Counts the call, also on members that get none.
inline communicators::Origin Call::next_child() {
  communicators::Origin origin = origin_of_made();
  if (communicator_ != nullptr) {
    origin.parent_id = communicator_->id;
    origin.parent_index = communicator_->index;
    origin.sequence = ++communicator_->children;
  }
  return origin;
}

inline void Call::created(MPI_Comm child) {
  const communicators::Origin origin = next_child();
  if (child != abi::comm_null) construction::add(child, origin);
}

inline void Call::created_several(MPI_Comm child) { split(child, 0, 0); }

inline void Call::split(MPI_Comm child, int color, int key) {
  communicators::Origin origin = next_child();
  if (child == abi::comm_null) return;
  origin.flags |= RANKWISE_COMMUNICATOR_ONE_OF_SEVERAL;
  construction::mark_inter(child, communicator_, origin);
  if (inter()) {
    // Ranks in the parent differ between its two sides; the world's are the same for both.
    origin.leader = construction::BothGroups(child).first;
  } else {
    const Group parents(comm_, Group::Side::local);
    origin.leader = Group(child, Group::Side::local).first_in(parents.handle());
  }
  communicators::Communicator *added = construction::add(child, origin);
  if (added == nullptr || added->record == nullptr) return;
  added->record->color = color;
  added->record->key = key;
  if (procedure_ == Procedure::MPI_Cart_sub) describe_topology(child, *added->record, RANKWISE_TOPOLOGY_CART);
}

inline void Call::created_topology(MPI_Comm child, int reorder) {
  communicators::Origin origin = next_child();
  if (child == abi::comm_null) return;
  if (reorder != 0) origin.flags |= RANKWISE_COMMUNICATOR_REORDER_ASKED;
  if (reordered_) origin.flags |= RANKWISE_COMMUNICATOR_REORDERED;
  communicators::Communicator *added = construction::add(child, origin);
  if (added == nullptr || added->record == nullptr) return;
  rankwise_topology kind = RANKWISE_TOPOLOGY_DIST_GRAPH;
  if (procedure_ == Procedure::MPI_Cart_create) kind = RANKWISE_TOPOLOGY_CART;
  if (procedure_ == Procedure::MPI_Graph_create) kind = RANKWISE_TOPOLOGY_GRAPH;
  describe_topology(child, *added->record, kind);
}

// Everything is as in the parent, so nothing has to be asked.
inline void Call::duplicated(MPI_Comm child) {
  if (child == abi::comm_null) return;  // it has failed, regardless of its result
  communicators::Origin origin = next_child();
  if (communicator_ == nullptr) return;
  if (communicator_->inter) origin.flags |= RANKWISE_COMMUNICATOR_INTER;
  communicators::Communicator *added = communicators::add(abi::bits(child), origin, communicator_->rank,
                                                          communicator_->size, communicator_->remote_size);
  if (added == nullptr) return;
  added->is_world = communicator_->is_world;
  if (added->record == nullptr || communicator_->record == nullptr) return;
  rankwise_communicator &to = *added->record;
  const rankwise_communicator &from = *communicator_->record;
  to.topology = from.topology;
  to.ndims = from.ndims;
  to.periods = from.periods;
  for (int d = 0; d < 8; ++d) to.dims[d] = from.dims[d];
}

// RATIONALE: the libraries return the handle at once and complete it later. Waiting until then would mean keeping its
// address, which in a Fortran program may be a variable that no longer exists.
inline void Call::posted_duplicate(MPI_Comm child, MPI_Request request) {
  duplicated(child);
  posted_collective(request);
}

inline void Call::created_by_group(MPI_Comm child, int tag) {
  if (child == abi::comm_null) return;
  communicators::Origin origin = origin_of_made();
  origin.flags = RANKWISE_COMMUNICATOR_BY_GROUP;
  origin.tag = tag;
  if (communicator_ != nullptr) {
    origin.parent_id = communicator_->id;
    origin.parent_index = communicator_->index;
  }
  const Members members{Group(child, Group::Side::local)};
  origin.group_hash = members.hash;
  origin.leader = members.first;
  origin.sequence = occurrences::next(chain(chain(origin.parent_id, members.hash), static_cast<std::uint64_t>(tag)));
  construction::add(child, origin);
}

// To processes that have no rank in our world.
inline void Call::created_outwards(MPI_Comm child) {
  communicators::Origin origin = next_child();
  if (child == abi::comm_null) return;
  origin.flags |= RANKWISE_COMMUNICATOR_INTER;
  construction::add(child, origin);
}

inline void Call::created_between(MPI_Comm child, int tag) {
  if (child == abi::comm_null) return;
  communicators::Origin origin = origin_of_made();
  origin.flags = RANKWISE_COMMUNICATOR_BY_GROUP | RANKWISE_COMMUNICATOR_INTER;
  origin.tag = tag;
  // Not part of the name: the sides have different values.
  if (communicator_ != nullptr) origin.parent_index = communicator_->index;
  const construction::BothGroups groups(child);
  origin.group_hash = groups.hash;
  origin.leader = groups.first;
  const std::uint64_t same = chain(groups.hash, static_cast<unsigned char>(origin.letter));
  origin.sequence = occurrences::next(chain(same, static_cast<std::uint64_t>(tag)));
  construction::add(child, origin);
}

inline void Call::created_from_group(MPI_Comm child, const char *tag) {
  if (child == abi::comm_null) return;
  communicators::Origin origin = origin_of_made();
  const Members members{Group(child, Group::Side::local)};
  origin.group_hash = members.hash;
  origin.leader = members.first;
  construction::add_from_group(child, origin, tag);
}

inline void Call::created_from_groups(MPI_Comm child, const char *tag) {
  if (child == abi::comm_null) return;
  communicators::Origin origin = origin_of_made();
  origin.flags = RANKWISE_COMMUNICATOR_INTER;
  const construction::BothGroups groups(child);
  origin.group_hash = groups.hash;
  origin.leader = groups.first;
  construction::add_from_group(child, origin, tag);
}

inline void Call::freeing() {
  adopt_ = false;
  if (communicator_ == nullptr) return;
  communicators::table.hide(communicator_);
  thread_->of_call.freeing = communicator_;
}

inline void Call::freed(int rc) {
  if (communicator_ == nullptr) return;
  thread_->of_call.freeing = nullptr;
  if (rc == abi::success) {
    if (inside::active) inside::operations::forget(communicator_->index);
    communicators::freed(communicator_);
  } else {
    communicators::table.show(communicator_);
  }
  communicator_ = nullptr;
}

inline void Call::named(const char *name) {
  if (communicator_ == nullptr || communicator_->record == nullptr || name == nullptr) return;
  snprintf(communicator_->record->user_name, sizeof communicator_->record->user_name, "%s", name);
}
