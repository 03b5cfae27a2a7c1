// Collectives by their definition, for sessions that need that (../logical.h). Included inside the namespace of a
// build.

// None of this runs unless a session is active: each function is behind a branch in Call.
class LogicalView {
 public:
  LogicalView(Procedure procedure, MPI_Comm comm, communicators::Communicator *communicator)
      : comm_(comm), communicator_(communicator) {
    // A persistent collective is not counted: the call that starts it knows neither sizes nor root.
    if (process::paused || initialises_collective(procedure)) communicator_ = nullptr;
    if (communicator_ == nullptr || communicator_->is_world) return;
    // When the counts are read, the communicator may be gone.
    if (communicator_->world_ranks == nullptr && ask_world_ranks(comm, *communicator_) == nullptr) {
      communicator_ = nullptr;
    }
  }

  [[gnu::noinline]] void to_all(std::uint64_t bytes) {
    const Guard guard(logical::lock);
    if (communicator_ != nullptr) logical::to_all(*communicator_, bytes);
  }

  [[gnu::noinline]] void to_later(std::uint64_t bytes) {
    const Guard guard(logical::lock);
    if (communicator_ != nullptr) logical::to_later(*communicator_, bytes);
  }

  // bytes(i) to the process of rank peer(i), for all i below `count`; messages from a process to itself don't count.
  template <class Peer, class Bytes>
  void to_each(int count, Peer peer, Bytes bytes) {
    if (communicator_ == nullptr) return;
    const Guard guard(logical::lock);
    for (int i = 0; i < count; ++i) {
      const int rank = peer(i);
      if (!communicator_->inter && rank == communicator_->rank) continue;
      logical::to_one(world_rank(comm_, *communicator_, rank), bytes(i));
    }
  }

 private:
  MPI_Comm comm_;
  communicators::Communicator *communicator_;
};
