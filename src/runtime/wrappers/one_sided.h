// One-sided communication (MPI 4.1, chapter 12): windows, and the data moved between the origin, which calls, and the
// target. Included inside the namespace of a build.

namespace one_sided {

[[gnu::noinline]] inline const int *ask_world_ranks(MPI_Win win, windows::Window &window) {
  return remember(window.world_ranks, Group(win).world_ranks());
}

// World rank of a process of the window; RANKWISE_PEER_UNKNOWN if it has none.
[[gnu::always_inline]] inline std::uint32_t world_rank(MPI_Win win, windows::Window &window, int target) {
  if (target < 0 || target >= window.size) return RANKWISE_PEER_UNKNOWN;
  if (window.is_world) return static_cast<std::uint32_t>(target);
  const int *ranks = __atomic_load_n(&window.world_ranks, __ATOMIC_ACQUIRE);
  if (ranks == nullptr) [[unlikely]] {
    ranks = ask_world_ranks(win, window);
    if (ranks == nullptr) return RANKWISE_PEER_UNKNOWN;
  }
  return ranks[target] < 0 ? static_cast<std::uint32_t>(RANKWISE_PEER_UNKNOWN)
                           : static_cast<std::uint32_t>(ranks[target]);
}

// A window whose creation was not seen. Several threads may use it for the first time at once.
[[gnu::cold, gnu::noinline]] inline windows::Window *add_found(MPI_Win win) {
  static Lock adding;
  const Guard guard(adding);
  windows::Window *added_meanwhile = windows::table.find(abi::bits(win));
  if (added_meanwhile != nullptr) return added_meanwhile;
  const int size = Group(win).size();
  return windows::table.add(abi::bits(win), [size](windows::Window &window) { window.size = size; });
}

}  // namespace one_sided

RANKWISE_HOT inline void Call::on_window(MPI_Win win) {
  win_ = win;
  window_ = windows::table.find(thread_->window_cache, abi::bits(win));
  if (window_ != nullptr) index_ = window_->index;
}

inline void Call::window_created(MPI_Win win) {
  if (win == abi::win_null) return;  // it has failed, regardless of its result
  windows::created(abi::bits(win), procedure_, communicator_);
}

inline void Call::window_named(const char *name) {
  if (window_ == nullptr || window_->record == nullptr || name == nullptr) return;
  snprintf(window_->record->user_name, sizeof window_->record->user_name, "%s", name);
}

inline void Call::freeing_window(const MPI_Win *win) {
  if (win == nullptr) return;  // MPI's own error
  on_window(*win);
  if (window_ == nullptr) return;
  windows::table.hide(window_);
  thread_->of_call.freeing_window = window_;
}

inline void Call::window_freed(int rc) {
  if (window_ == nullptr) return;
  thread_->of_call.freeing_window = nullptr;
  if (rc == abi::success) {
    if (inside::active && window_->record != nullptr) inside::operations::forget(window_->index);
    windows::freed(window_);
  } else {
    windows::table.show(window_);
  }
}

// Epochs of some processes: the target that exposes its window notifies the origins, and the origin notifies the
// targets when it has finished. A process waits for notifications that have not arrived yet.

inline void Call::exposes_to(MPI_Group origins) {
  if (window_ == nullptr || window_->record == nullptr) return;
  opens_epoch(origins, window_->origins);
  sends_signals(window_->origins, windows::exposed, start_);
}

// Libraries wait here or in MPI_Win_complete.
inline void Call::accesses(MPI_Group targets) {
  if (window_ == nullptr || window_->record == nullptr) return;
  opens_epoch(targets, window_->targets);
  receives_signals(window_->targets, windows::exposed, RANKWISE_SIDE_PROBED);
}

inline void Call::has_accessed() {
  if (window_ == nullptr) return;
  receives_signals(window_->targets, windows::exposed);
  sends_signals(window_->targets, windows::accessed, stop_);
}

inline void Call::was_accessed() {
  if (window_ != nullptr) receives_signals(window_->origins, windows::accessed);
}

inline void Call::opens_epoch(MPI_Group group, windows::Peers &peers) {
  std::free(peers.ranks);
  const Group given = Group::given(group);
  peers.count = given.size();
  peers.ranks = given.ranks_in(Group(win_).handle(), peers.count);
  if (peers.ranks == nullptr) peers.count = 0;
  for (int i = 0; i < peers.count; ++i) {
    peers.ranks[peers.count + i] = static_cast<int>(one_sided::world_rank(win_, *window_, peers.ranks[i]));
  }
}

inline void Call::sends_signals(const windows::Peers &peers, windows::Signal signal, std::uint64_t posted) {
  windows::passed(*window_, peers, thread_->streams, {signal, false, 0, posted, procedure_}, {0, 0, key_, 0});
}

inline void Call::receives_signals(const windows::Peers &peers, windows::Signal signal, std::uint16_t flags) {
  windows::passed(*window_, peers, thread_->streams, {signal, true, flags, start_, procedure_},
                  {start_, stop_, key_, static_cast<std::uint32_t>(peers.count)});
}

template <class Count>
RANKWISE_HOT inline void Call::put(Count count, MPI_Datatype datatype, int target) {
  if (target == abi::proc_null) return;
  sent_ = bytes_of(count, datatype);
  size_ = sent_;
  one_sided_message(RANKWISE_MESSAGE_ONE_SIDED, target, sent_);
}

template <class Count>
RANKWISE_HOT inline void Call::got(Count count, MPI_Datatype datatype, int target) {
  if (target == abi::proc_null) return;
  received_ = bytes_of(count, datatype);
  size_ = received_;
  one_sided_message(RANKWISE_MESSAGE_ONE_SIDED_FETCH, target, received_);
}

RANKWISE_HOT inline void Call::one_sided_message(rankwise_message_kind kind, int target, std::uint64_t bytes) {
  if (process::paused) return;
  if (window_ == nullptr) [[unlikely]] {
    window_ = one_sided::add_found(win_);
    if (window_ == nullptr) return;
  }
  const std::uint32_t peer = one_sided::world_rank(win_, *window_, target);
  booking::add_message(booking::window_row(*thread_, kind, procedure_, *window_, peer), bytes);
}
