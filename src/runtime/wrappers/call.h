// One recorded call: its time, its communicator, its bytes. Included inside the namespace of a build.
//
// The rules in api/semantics.toml are written in terms of this class. Byte rules follow
// docs/reference/profile-format.md, "Bytes": point-to-point calls book the bytes really sent and received, collectives
// this process's contribution, so that the sum over the processes is the lower bound of the traffic.

// RATIONALE: the compiler would share one copy of the hot methods among all wrappers, and not use the constants of
// each. For frequent calls, RANKWISE_HOT keeps them inline, which saves about a third of our cost per call. All others
// share one copy, which saves two thirds of the code.
#ifdef RANKWISE_FREQUENT
#define RANKWISE_HOT [[gnu::always_inline]]
#define RANKWISE_WAY frequent
#else
#define RANKWISE_HOT [[gnu::noinline]]
#define RANKWISE_WAY others
#endif

// The two kinds are two classes with one text.
inline namespace RANKWISE_WAY {

class Call {
 public:
  [[gnu::always_inline]] explicit Call(Procedure procedure)
      : Call(procedure, leaving::frame(), __builtin_frame_address(0)) {}

  // Whether the call must be forwarded unchanged: another call makes it internally, or nothing is recorded.
  bool nested() const { return __builtin_expect(static_cast<long>(thread_ == nullptr), 0) != 0; }

  RANKWISE_HOT void on(MPI_Comm comm) {
    comm_ = comm;
    communicator_ = communicators::table.find(thread_->communicator_cache, abi::bits(comm));
    if (communicator_ != nullptr) [[likely]] {
      index_ = communicator_->index;
    } else {
      // Not before the call has succeeded: the handle may be invalid, and a query would raise an additional error.
      adopt_ = true;
    }
  }

  // The file; without a separate record: the communicator that it was opened on.
  void on_file(MPI_File fh);

  // The window; without a record: the communicator that it was made from.
  void on_window(MPI_Win win);

  RANKWISE_HOT void made_at(const frames::Frame &frame) { site_ = call_sites::of(frame); }
  std::uint32_t site() const { return site_; }

  // For rules that know the communicator of their requests.
  void on_index(std::uint32_t index) { index_ = index; }

  // For calls that act on one request, active or not.
  void on_request(MPI_Request request) {
    const requests::Request known = requests::table.look(abi::bits(request));
    if (known.kind != requests::Kind::none) index_ = known.communicator;
  }
  void on_request(const MPI_Request *request) {
    if (request != nullptr) on_request(*request);
  }

  // For calls over several requests: their one communicator, or "several".
  RANKWISE_HOT void also_on(std::uint32_t index) {
    if (index_ == RANKWISE_COMMUNICATOR_NONE) {
      index_ = index;
    } else if (index_ != index) {
      index_ = RANKWISE_COMMUNICATOR_SEVERAL;
    }
  }

  RANKWISE_HOT void start() { start_at(clock::ticks()); }

  // start() of a call that programs repeat until an event has happened.
  RANKWISE_HOT void start_polling() {
    polling_ = true;
    start_at(thread_->polls.start(clock::ticks(), thread_->record->inside_since));
  }

  RANKWISE_HOT void stop(int rc) {
    stop_ = clock::ticks();
    if (polling_) stop_ = thread_->polls.stop(start_, stop_);
    thread_->record->inside_key = 0;
    // Before anything of this call is booked.
    if (thread_->time_line.is_over(stop_)) [[unlikely]] {
      start_ = callbacks::interval_ended(*thread_, start_, stop_, procedure_ != Procedure::none && !process::paused);
    }
    left_before_ = thread_->record->left_key;
    thread_->record->left_key = key_;
    if (adopt_ && rc == abi::success) [[unlikely]] {
      // RATIONALE: it takes the handle, and an ignored status is stored in the thread: if an address of the call left
      // the wrapper, the compiler would keep the whole call in memory, and not in registers.
      communicator_ = adopt(comm_);
      if (communicator_ != nullptr) on_adopted();
    }
    if (access_ == Access::unknown && rc != abi::success) access_ = Access::none;
    if (rc != abi::success && (source_ | destination_) != partners::nobody) [[unlikely]] {
      thread_->streams.lose();
    }
  }

  // `frame`: where the call was made.
  RANKWISE_HOT void book(const frames::Frame &frame) {
    const std::uint64_t in_mpi = thread_->in_mpi + ticks();
    if (arrivals::number_of(procedure_) != arrivals::none && communicator_ != nullptr) {
      arrivals::count(arrivals::place_of(*communicator_), *thread_, procedure_, start_, stop_, left_before_, size_,
                      root_, (has_pattern_ || all_came_) && !process::paused, in_mpi, traits_);
    }
#ifndef RANKWISE_FREQUENT
    if (arrivals::is_on_window_or_file(procedure_)) count_on_window_or_file(in_mpi);
#endif
    thread_->in_mpi = in_mpi;
    if (!process::paused) [[likely]] {
      rankwise_calls &row = booking::row(*thread_, keys::with_bin(key_, keys::bin(size_)));
      booking::add_call(row, ticks());
      row.bytes_sent += sent_;
      row.bytes_received += received_;
      if (access_ != Access::none) {
        booking::add_access(*thread_, file_index_, procedure_, received_, sent_, ticks());
      }
      if ((has_pattern_ || outlives_) && inside::active) tell_inside();
      if (thread_->paths.takes(key_, in_mpi)) [[unlikely]] {
        thread_->paths.take(key_, ticks(), in_mpi, frame);
      }
    }
    if (in_sample_) [[unlikely]] {
      thread_->streams.completed({start_, stop_, keys::with_bin(key_, keys::bin(size_)), messages_});
    }
    process::alive_at(stop_);
    thread_->inside = thread_->outer;
  }

  [[gnu::always_inline]] std::uint64_t ticks() const { return clock::elapsed(start_, stop_); }
  [[gnu::always_inline]] std::uint64_t started() const { return start_; }
  [[gnu::always_inline]] std::uint64_t stopped() const { return stop_; }
  std::uint64_t left_before() const { return left_before_; }
  [[gnu::always_inline]] Thread &thread() { return *thread_; }
  Procedure procedure() const { return procedure_; }

  // MPI_Start is booked in the size bin of the operation that it starts.
  RANKWISE_HOT void has_size_of(std::uint64_t key) {
    const std::uint64_t bin = keys::size_bin(key);
    size_ = bin == 0 ? 0 : std::uint64_t{1} << (bin - 1);
  }

  // --- Point-to-point ---

  template <class Count>
  RANKWISE_HOT void sent(Count count, MPI_Datatype datatype, int destination) {
    const std::uint64_t bytes = destination == abi::proc_null ? 0 : bytes_of(count, datatype);
    size_ = bytes;
    sent_ = bytes;
    if (destination == abi::proc_null || communicator_ == nullptr) return;
    if (!process::paused) [[likely]] {
      booking::add_message(*thread_, RANKWISE_MESSAGE_POINT_TO_POINT, procedure_, index_,
                           world_rank(comm_, *communicator_, destination), bytes);
    }
    number(destination_, false, bytes);
  }

  // A completion call has waited for no message in the sample: perhaps for none at all.
  RANKWISE_HOT void waited_for_other() {
    if ((source_ | destination_) == partners::nobody && index_ != RANKWISE_COMMUNICATOR_NONE) {
      thread_->streams.waited_for_other({start_, stop_, key_, 0});
    }
  }

  // A collective on a window or a file, or among neighbours, has succeeded.
  void all_came() { all_came_ = true; }

  // The status that the call really writes to: ours if the program ignores it.
  MPI_Status *status(MPI_Status *given) {
    if (nested()) return given;
    static_assert(sizeof(MPI_Status) <= sizeof thread_->status);
    status_ = given == abi::status_ignore() ? reinterpret_cast<MPI_Status *>(thread_->status) : given;
    return status_;
  }

  RANKWISE_HOT void received() {
    const std::int64_t bytes = abi::received_bytes(*status_);
    if (bytes > 0) received_ = static_cast<std::uint64_t>(bytes);
    size_ = received_;
    if (was_matched_) {
      number_matched();
    } else if (!from_nobody_ && communicator_ != nullptr) {
      number(source_, true, received_);
    }
  }

  // Enters the request of a call whose size and bytes are set; `kind` defines what its completion must book.
  RANKWISE_HOT void posted(MPI_Request request, requests::Kind kind, std::uint32_t peer = 0) {
    requests::Request entry = entry_for(request, kind);
    entry.peer = peer & RANKWISE_PEER_OTHER;
    const std::uint64_t cut = ticks() < 0xFFFFFFFFU ? ticks() : 0xFFFFFFFFU;
    entry.once.ticks = static_cast<std::uint32_t>(cut);
    requests::table.put(entry);
    if (in_sample_ || is_open_) [[unlikely]] {
      if (in_sample_) is_open_ = thread_->streams.pend(entry.handle) || is_open_;
      in_sample_ = false;
      if (is_open_) requests::table.put_in_sample(entry.handle);
    }
  }
  RANKWISE_HOT void posted_send(MPI_Request request) {
    posted(request, requests::Kind::send, partners::who(destination_));
  }
  // With MPI_PROC_NULL on one side it is a plain receive or send in every library, so its status is right.
  void posted_exchange(int destination, MPI_Request request) {
    const bool told = destination == abi::proc_null || abi::exchange_tells_bytes;
    const requests::Kind kind = told ? requests::Kind::exchange : requests::Kind::untold;
    // (If the status does not contain the bytes, it does not contain the source either.)
    if (!from_nobody_ && communicator_ != nullptr) number(source_, true, 0);
    posted(request, from_nobody_ ? requests::Kind::send : kind);
  }
  void posted_collective(MPI_Request request) {
    const std::uint64_t handle = abi::bits(request);
    // (Which of several requests with one handle has completed is not known.)
    const bool is_wanted = arrivals::number_of_posted(procedure_) != arrivals::none && communicator_ != nullptr &&
                           arrivals::posted(*communicator_, *thread_, procedure_, handle, start_, stop_, left_before_,
                                            size_, root_, !process::paused) &&
                           requests::table.look(handle).kind == requests::Kind::none;
    posted(request, requests::Kind::collective, inside::active ? inside::operation_of(*thread_, start_) : 0);
    if (is_wanted) [[unlikely]] {
      requests::table.put_in_sample(handle);
    }
    outlives_ = true;
  }

  // The source and the destination of a message. A receive from MPI_PROC_NULL is complete when it is posted, and all of
  // them may have the same handle.
  RANKWISE_HOT void from(int source, int tag) {
    from_nobody_ = source == abi::proc_null;
    source_ = partner(source, tag);
  }
  RANKWISE_HOT void to(int destination, int tag) { destination_ = partner(destination, tag); }
  // The same for a request that the call waits for, among others.
  RANKWISE_HOT void also_waits_for(const requests::Request &request) {
    if (requests::receives(request.kind)) {
      source_ = partners::both(source_, requests::partner(request));
    } else if (request.kind == requests::Kind::send) {
      destination_ = partners::both(destination_, requests::partner(request));
    }
  }

  template <class Count>
  RANKWISE_HOT void posted_receive(Count count, MPI_Datatype datatype, MPI_Request request) {
    size_ = from_nobody_ ? 0 : bytes_of(count, datatype);
    if (from_nobody_) return posted(request, requests::Kind::send);
    if (was_matched_) {
      number_matched();
    } else if (communicator_ != nullptr) {
      number(source_, true, size_, abi::bits(request));
    }
    posted(request, requests::Kind::receive, partners::who(source_));
  }

  // A matched message carries its communicator from MPI_Mprobe to MPI_Mrecv.
  void match(MPI_Message message, int source, int tag) {
    const std::uint64_t handle = message_bits(message);
    requests::table.put(requests::of_communicator(handle, index_, requests::Kind::message));
    source_ = partner(source, tag);
    if (source != abi::proc_null && communicator_ != nullptr) {
      number(source_, true, 0);
      if (in_sample_) [[unlikely]] {
        if (thread_->streams.pend_probed(handle, !polling_)) requests::table.put_in_sample(handle);
        in_sample_ = !polling_;
      }
    }
  }
  // The message is the next one of its stream, and remains it.
  void probed(int source) {
    if (source == abi::proc_null || communicator_ == nullptr) return;
    messages_ = 1;
    note(number_slowly(*thread_, comm_, *communicator_, {source_, true, 0, status_},
                       {nullptr, 0, start_, 0, procedure_, RANKWISE_SIDE_PROBED}));
  }
  void matched(const MPI_Message *address) {
    if (address == nullptr) return;  // MPI's own error
    const MPI_Message message = *address;
    const requests::Request known = requests::table.complete(message_bits(message));
    if (known.kind == requests::Kind::message) index_ = known.communicator;
    was_matched_ = true;
    matched_ = known.in_sample ? known.handle : 0;
    from_nobody_ = message == abi::message_no_proc();
  }

  // MPI_Cancel. (A receive with wildcards is counted when it completes, if it does.)
  void cancelled(const MPI_Request *request) {
    const requests::Request known = requests::table.look(abi::bits(*request));
    const bool receives = requests::receives(known.kind);
    if (!receives && known.kind != requests::Kind::send) return;
    const std::uint64_t other = requests::partner(known);
    if (other != partners::nobody) thread_->streams.broken(known.communicator, other, receives);
    if (known.kind == requests::Kind::exchange || known.kind == requests::Kind::untold) thread_->streams.lose();
  }

  // --- Persistent and partitioned operations: initialising one notes what each start will book ---

  template <class Count>
  void initialised_send(Count count, MPI_Datatype datatype, int destination, int tag, MPI_Request request) {
    const bool addressed = destination != abi::proc_null;
    size_ = addressed ? bytes_of(count, datatype) : 0;
    requests::Request entry = persistent_entry_for(request, requests::Kind::send);
    entry.bytes = size_ & most_bytes;
    if (addressed && communicator_ != nullptr) {
      entry.addressed = 1;
      entry.peer = world_rank(comm_, *communicator_, destination) & RANKWISE_PEER_OTHER;
      entry.operation = operation(partner(destination, tag), false);
    }
    requests::table.put(entry);
  }

  template <class Count>
  void initialised_receive(Count count, MPI_Datatype datatype, MPI_Request request) {
    size_ = from_nobody_ ? 0 : bytes_of(count, datatype);
    requests::Request entry =
        persistent_entry_for(request, from_nobody_ ? requests::Kind::send : requests::Kind::receive);
    entry.peer = partners::who(source_) & RANKWISE_PEER_OTHER;
    if (!from_nobody_ && communicator_ != nullptr) entry.operation = operation(source_, true);
    requests::table.put(entry);
  }

  void initialised_partitioned_send(int partitions, MPI_Count count, MPI_Datatype datatype, int destination,
                                    MPI_Request request) {
    partitioned_ = true;
    initialised_send(partitions > 0 ? partitions * count : 0, datatype, destination, 0, request);
  }

  void initialised_partitioned_receive(int partitions, MPI_Count count, MPI_Datatype datatype, MPI_Request request) {
    size_ = from_nobody_ || partitions <= 0 ? 0 : bytes_of(partitions * count, datatype);
    requests::Request entry = persistent_entry_for(request, requests::Kind::partitioned);
    entry.peer = partners::who(source_) & RANKWISE_PEER_OTHER;
    entry.bytes = size_ & most_bytes;
    requests::table.put(entry);
  }

  // Call after the byte rule of the collective.
  void initialised_collective(MPI_Request request) {
    requests::Request entry = persistent_entry_for(request, requests::Kind::collective);
    entry.bytes = sent_ & most_bytes;
    if (communicator_ != nullptr)
      entry.operation = arrivals::initialised(*communicator_, procedure_, size_, root_) & 0xFFFFFU;
    sent_ = 0;
    has_pattern_ = false;  // it is counted at each start
    requests::table.put(entry);
  }

  // --- Collectives: `message` is the size for bins and tuning, `bytes` the contribution of this process ---

  void contributed(std::uint64_t message, std::uint64_t bytes) {
    counted(message, bytes);
    has_pattern_ = true;
  }

  void synchronised() {
    contributed(0, 0);
    goes_to_all(0);
  }

  template <class Count>
  void broadcast(Count count, MPI_Datatype datatype, int root) {
    const std::uint64_t message = bytes_of(count, datatype);
    root_ = root;
    contributed(message, is_root(root) ? message * receivers() : 0);
    if (is_root(root)) goes_to_all(message);
  }

  template <class SendCount, class RecvCount>
  void gathered(const void *sendbuf, SendCount sendcount, MPI_Datatype sendtype, RecvCount recvcount,
                MPI_Datatype recvtype, int root) {
    root_ = root;
    if (inter() && (root == abi::root || root == abi::proc_null)) return contributed(0, 0);
    const std::uint64_t block = block_of(sendbuf, sendcount, sendtype, recvcount, recvtype);
    size_varies_ = std::is_pointer_v<RecvCount>;
    contributed(block, block);
    goes_to(root, block);
  }

  template <class SendCount, class RecvCount>
  void allgathered(const void *sendbuf, SendCount sendcount, MPI_Datatype sendtype, RecvCount recvcount,
                   MPI_Datatype recvtype) {
    const std::uint64_t block = block_of(sendbuf, sendcount, sendtype, recvcount, recvtype);
    size_varies_ = std::is_pointer_v<RecvCount>;
    contributed(block, block);
    goes_to_all(block);
  }

  template <class SendCount, class RecvCount>
  void scattered(SendCount sendcount, MPI_Datatype sendtype, RecvCount recvcount, MPI_Datatype recvtype, int root) {
    root_ = root;
    size_varies_ = std::is_pointer_v<SendCount>;
    if (inter() && root == abi::proc_null) return contributed(0, 0);
    if (!is_root(root)) return contributed(bytes_of(recvcount, recvtype), 0);
    const std::uint64_t total = total_of(sendcount, sendtype, peers());
    contributed(mean(total, peers()), total);
    goes_to_each(sendcount, sendtype);
  }

  template <class SendCount, class SendType, class RecvCount, class RecvType>
  void exchanged_all(const void *sendbuf, SendCount sendcount, SendType sendtype, RecvCount recvcount,
                     RecvType recvtype) {
    const std::uint64_t total =
        sendbuf == abi::in_place() ? total_of(recvcount, recvtype, peers()) : total_of(sendcount, sendtype, peers());
    size_varies_ = std::is_pointer_v<SendCount>;
    contributed(mean(total, peers()), total);
    if (sendbuf == abi::in_place()) {
      goes_to_each(recvcount, recvtype);
    } else {
      goes_to_each(sendcount, sendtype);
    }
  }

  template <class Count>
  void reduced(Count count, MPI_Datatype datatype) {
    const std::uint64_t message = bytes_of(count, datatype);
    contributed(message, message);
    goes_to_all(message);
  }

  template <class Count>
  void reduced(Count count, MPI_Datatype datatype, int root) {
    const std::uint64_t message = bytes_of(count, datatype);
    root_ = root;
    const bool receives_only = inter() && (root == abi::root || root == abi::proc_null);
    contributed(message, receives_only ? 0 : message);
    if (!receives_only) goes_to(root, message);
  }

  template <class Count>
  void reduced_scattered(Count recvcount, MPI_Datatype datatype) {
    const std::uint64_t block = bytes_of(own(recvcount), datatype);
    size_varies_ = std::is_pointer_v<Count>;
    contributed(block, block);
    goes_to_each(recvcount, datatype);
  }

  template <class Count>
  void scanned(Count count, MPI_Datatype datatype) {
    const std::uint64_t message = bytes_of(count, datatype);
    const bool last = communicator_ == nullptr || communicator_->rank + 1 >= communicator_->size;
    contributed(message, last ? 0 : message);
    if (logical::active()) [[unlikely]] {
      logical_view().to_later(message);
    }
  }

  // The arguments that may restrict the algorithm of a blocking collective: the buffer that may be MPI_IN_PLACE, and
  // how a reduction combines its operands.
  RANKWISE_HOT void has_buffer(const void *buffer) {
    if (buffer == abi::in_place()) traits_ |= RANKWISE_TRAITS_IN_PLACE;
  }
  RANKWISE_HOT void has_operation(MPI_Op op, MPI_Datatype datatype) {
    traits_ |= reduction_traits(thread_->latest_reduction, op, datatype);
  }

  template <class Count>
  void neighbour_gathered(Count count, MPI_Datatype datatype) {
    const communicators::Neighbours *to = neighbours();
    const std::uint64_t message = bytes_of(count, datatype);
    counted(message, to == nullptr ? 0 : message * static_cast<std::uint64_t>(to->real));
    all_came();
    goes_to_neighbours(to, count, datatype);
  }

  template <class Count, class Type>
  void neighbour_exchanged(Count count, Type datatype) {
    const communicators::Neighbours *to = neighbours();
    all_came();
    if (to == nullptr) return counted(0, 0);
    const std::uint64_t total = total_of(count, datatype, to->count, to->is_process);
    counted(mean(total, to->real), total);
    goes_to_neighbours(to, count, datatype);
  }

  // --- Files: the bytes really read and written ---

  void opened(MPI_File fh, const char *filename, int amode);
  void closing(const MPI_File *fh);
  void closed(int rc);
  void has_read();
  void has_written();
  template <class Count>
  void posted_read(Count count, MPI_Datatype datatype, MPI_Request request);
  template <class Count>
  void posted_write(Count count, MPI_Datatype datatype, MPI_Request request);

  // --- One-sided: the calling process is the origin; fetched bytes come before put bytes ---

  template <class Count>
  void put(Count count, MPI_Datatype datatype, int target);
  template <class Count>
  void got(Count count, MPI_Datatype datatype, int target);
  void posted_one_sided(MPI_Request request) { posted(request, requests::Kind::send); }
  void window_created(MPI_Win win);
  void window_named(const char *name);
  void freeing_window(const MPI_Win *win);
  void window_freed(int rc);
  void exposes_to(MPI_Group origins);
  void accesses(MPI_Group targets);
  void has_accessed();
  void was_accessed();

  // --- Communicators ---

  void created(MPI_Comm child);
  void created_several(MPI_Comm child);
  void created_topology(MPI_Comm child, int reorder);
  void reordered() { reordered_ = true; }
  void split(MPI_Comm child, int color, int key);
  void duplicated(MPI_Comm child);
  void posted_duplicate(MPI_Comm child, MPI_Request request);
  void created_by_group(MPI_Comm child, int tag);
  void created_between(MPI_Comm child, int tag);
  void created_outwards(MPI_Comm child);
  void created_from_group(MPI_Comm child, const char *tag);
  void created_from_groups(MPI_Comm child, const char *tag);
  void freeing();
  void freed(int rc);
  void named(const char *name);

 private:
  RANKWISE_HOT Call(Procedure procedure, const void *frame, const void *base)
      : thread_(threads::enter(frame, base)), procedure_(procedure) {}

  RANKWISE_HOT void start_at(std::uint64_t now) {
    key_ = keys::calls(procedure_, index_, regions::current, site_);
    rankwise_thread &record = *thread_->record;
    record.inside_source = source_;
    record.inside_destination = destination_;
    record.inside_key = key_;
    start_ = now;
    record.inside_since = now;
  }

#ifndef RANKWISE_FREQUENT
  // RATIONALE: two threads may use one file by two handles, so that its calls have no order.
  [[gnu::noinline]] void count_on_window_or_file(std::uint64_t in_mpi) {
    const bool keeps = all_came_ && !process::paused;
    if (window_ != nullptr) {
      arrivals::count({window_->arrivals, window_->index, true}, *thread_, procedure_, start_, stop_, left_before_, 0,
                      arrivals::none, keeps, in_mpi, 0);
    } else if (file_ != nullptr && file_->opened != nullptr && !threads::several) {
      arrivals::count({file_->opened->arrivals, file_->communicator, true}, *thread_, procedure_, start_, stop_,
                      left_before_, size_, arrivals::none, keeps, in_mpi, 0);
    }
  }
#endif

  static std::uint64_t message_bits(MPI_Message message) { return abi::bits(message) | (std::uint64_t{1} << 63); }

  static constexpr std::uint64_t partner(int rank, int tag) {
    if (rank < 0 && rank != abi::any_source) return partners::nobody;
    const auto who = rank == abi::any_source ? RANKWISE_PARTNER_ANY : static_cast<std::uint32_t>(rank) + 1;
    return partners::word(who, tag == abi::any_tag ? static_cast<int>(RANKWISE_TAG_ANY) : tag);
  }

  template <class Count>
  static std::uint64_t bytes_of(Count count, MPI_Datatype datatype) {
    return count > 0 ? static_cast<std::uint64_t>(count) * datatype_size(datatype) : 0;
  }

  // This process's entry of a vector of counts; a plain count applies to all processes.
  template <class Count>
  Count own(const Count *counts) const {
    return communicator_ == nullptr ? 0 : counts[communicator_->rank];
  }
  template <class Count>
  static Count own(Count count) {
    return count;
  }

  // The hook has seen the collective's messages; now their collective is known.
  void tell_inside() {
    if (communicator_ == nullptr) return;
    inside::Kept kept;
    const std::uint64_t size = size_varies_ ? static_cast<std::uint64_t>(RANKWISE_SIZE_VARIES) : size_;
    if (has_pattern_ && !inter() && peers() > 1) {
      kept = inside::completed(*thread_, procedure_, index_, root_, size, start_);
    }
    if (outlives_) inside::started(*thread_, procedure_, *communicator_, size, start_, kept);
  }

  void counted(std::uint64_t message, std::uint64_t bytes) {
    size_ = message;
    sent_ = bytes;
  }

  // This process's block in an operation where all send blocks.
  template <class SendCount, class RecvCount>
  std::uint64_t block_of(const void *sendbuf, SendCount sendcount, MPI_Datatype sendtype, RecvCount recvcount,
                         MPI_Datatype recvtype) const {
    return sendbuf == abi::in_place() ? bytes_of(own(recvcount), recvtype) : bytes_of(sendcount, sendtype);
  }

  // Bytes to `n` processes, counting only processes that `real` selects (all if nullptr).
  template <class Count>
  static std::uint64_t total_of(const Count *counts, MPI_Datatype datatype, int n, const bool *real = nullptr) {
    std::uint64_t elements = 0;
    for (int i = 0; i < n; ++i) {
      if (counts[i] > 0 && (real == nullptr || real[i])) elements += static_cast<std::uint64_t>(counts[i]);
    }
    // A process that sends nothing may specify no datatype at all, and querying its size would be an error.
    return elements == 0 ? 0 : elements * datatype_size(datatype);
  }
  template <class Count>
  static std::uint64_t total_of(const Count *counts, const MPI_Datatype *datatypes, int n, const bool *real = nullptr) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < n; ++i) {
      if (real == nullptr || real[i]) bytes += bytes_of(counts[i], datatypes[i]);
    }
    return bytes;
  }
  template <class Count>
  static std::uint64_t total_of(Count count, MPI_Datatype datatype, int n, const bool *real = nullptr) {
    int destinations = n;
    for (int i = 0; real != nullptr && i < n; ++i) destinations -= real[i] ? 0 : 1;
    return bytes_of(count, datatype) * static_cast<std::uint64_t>(destinations);
  }

  static std::uint64_t mean(std::uint64_t total, int n) { return n > 0 ? total / static_cast<std::uint64_t>(n) : 0; }

  bool inter() const { return communicator_ != nullptr && communicator_->inter; }
  int peers() const { return communicator_ == nullptr ? 0 : communicator_->peers(); }
  bool is_root(int root) const {
    return communicator_ != nullptr && (communicator_->inter ? root == abi::root : root == communicator_->rank);
  }
  // Processes that receive a root's data.
  std::uint64_t receivers() const {
    if (communicator_ == nullptr) return 0;
    return static_cast<std::uint64_t>(communicator_->inter ? communicator_->remote_size : communicator_->size - 1);
  }
  const communicators::Neighbours *neighbours() {
    return communicator_ == nullptr ? nullptr : neighbours_of(comm_, *communicator_);
  }

  // --- The logical view: where data goes by the definition of a collective ---

  LogicalView logical_view() const { return {procedure_, comm_, communicator_}; }

  void goes_to_all(std::uint64_t bytes) const {
    if (logical::active()) [[unlikely]] {
      logical_view().to_all(bytes);
    }
  }
  void goes_to(int peer, std::uint64_t bytes) const {
    if (logical::active()) [[unlikely]] {
      logical_view().to_each(1, [=](int) { return peer; }, [=](int) { return bytes; });
    }
  }
  // Counts and types are one for all, or one for each.
  template <class Count, class Type>
  void goes_to_each(Count count, Type datatype) const {
    if (!logical::active()) [[likely]] {
      return;
    }
    if constexpr (std::is_pointer_v<Count>) {
      logical_view().to_each(
          peers(), [](int i) { return i; }, [=](int i) { return bytes_of(count[i], one_of(datatype, i)); });
    } else {
      logical_view().to_all(bytes_of(count, datatype));
    }
  }
  template <class Count, class Type>
  void goes_to_neighbours(const communicators::Neighbours *to, Count count, Type datatype) const {
    if (!logical::active() || to == nullptr) [[likely]] {
      return;
    }
    logical_view().to_each(
        to->count, [=, own = communicator_->rank](int i) { return to->is_process[i] ? to->ranks[i] : own; },
        [=](int i) { return bytes_of(one_of(count, i), one_of(datatype, i)); });
  }
  template <class Value>
  static Value one_of(const Value *values, int i) {
    return values[i];
  }
  static MPI_Datatype one_of(MPI_Datatype datatype, int /*i*/) { return datatype; }
  template <class Count>
    requires std::is_integral_v<Count>
  static Count one_of(Count count, int /*i*/) {
    return count;
  }

  // --- Streams: the number of a message, which both sides determine in the same way ---

  // The result of numbering a message in an unusual case.
  enum Numbered : std::uint8_t { as_usual = 0, in_sample = 1, is_open = 2 };

  // A message that is sent or received, or the message that a receive posted as `handle` will get.
  RANKWISE_HOT void number(std::uint64_t partner, bool receives, std::uint64_t bytes, std::uint64_t handle = 0) {
    ++messages_;
    rankwise_stream *stream = thread_->streams.find(partner, streams::where(index_, receives));
    if (stream != nullptr && !thread_->streams.may_keep(stream->messages, start_)) [[likely]] {
      ++stream->messages;
      return;
    }
    note(number_slowly(*thread_, comm_, *communicator_, {partner, receives, handle, status_},
                       {nullptr, 0, start_, bytes, procedure_, 0}));
  }
  RANKWISE_HOT void note(Numbered numbered) {
    in_sample_ = in_sample_ || (numbered & in_sample) != 0;
    is_open_ = is_open_ || (numbered & is_open) != 0;
  }
  struct ToNumber {
    std::uint64_t partner;
    bool receives;
    std::uint64_t handle;
    const MPI_Status *status;  // where source or tag are wildcards, and it is not posted
  };
  [[gnu::cold, gnu::noinline]] static Numbered number_slowly(Thread &thread, MPI_Comm comm,
                                                             communicators::Communicator &communicator,
                                                             const ToNumber &which, streams::Streams::Message message) {
    streams::Channel channel = channel_of(communicator.index, which.partner, which.receives);
    if (which.receives && is_any(which.partner)) {
      world_rank(comm, communicator, 0);  // so that it can be identified without a query
      if (which.status == nullptr) {
        return thread.streams.open(which.handle, channel, &communicator, message.posted, message.procedure)
                   ? Numbered::is_open
                   : Numbered::as_usual;
      }
      channel.rank = static_cast<std::uint32_t>(which.status->MPI_SOURCE);
      channel.tag = which.status->MPI_TAG;
    }
    message.stream = thread.streams.search(channel, identity_of(comm, communicator, channel.rank));
    const bool probed = (message.flags & RANKWISE_SIDE_PROBED) != 0;  // it stays the next one
    message.number = probed ? message.stream->messages : message.stream->messages++;
    if (which.receives && thread.streams.may_be_taken(channel, *message.stream)) {
      message.flags |= RANKWISE_SIDE_UNCERTAIN;
    }
    return thread.streams.stage(message) ? Numbered::in_sample : Numbered::as_usual;
  }
  static streams::Identity identity_of(MPI_Comm comm, communicators::Communicator &communicator, std::uint32_t rank) {
    return {communicator.common_id(), world_rank(comm, communicator, static_cast<int>(rank))};
  }
  static streams::Channel channel_of(std::uint32_t communicator, std::uint64_t partner, bool receives) {
    const std::uint32_t who = partners::who(partner);
    return {communicator, who == RANKWISE_PARTNER_ANY ? streams::any_rank : who - 1, partners::tag(partner), receives};
  }
  static bool is_any(std::uint64_t partner) {
    return partners::who(partner) == RANKWISE_PARTNER_ANY || partners::tag(partner) == RANKWISE_TAG_ANY;
  }
  // MPI_Mprobe has numbered the message.
  RANKWISE_HOT void number_matched() {
    messages_ = from_nobody_ ? 0 : 1;
    if (matched_ != 0) in_sample_ = thread_->streams.stage_matched(matched_, start_, size_, procedure_);
  }
  // The messages that each start of a persistent request will number. (Partitioned ones are matched among themselves.)
  std::uint32_t operation(std::uint64_t partner, bool receives) {
    if (partitioned_) return 0;
    const streams::Channel channel = channel_of(index_, partner, receives);
    streams::Identity identity{};
    if (!receives || !is_any(partner)) identity = identity_of(comm_, *communicator_, channel.rank);
    world_rank(comm_, *communicator_, 0);
    return streams::operations::add({.channel = channel,
                                     .identity = identity,
                                     .procedure = procedure_,
                                     .any = receives && is_any(partner),
                                     .bytes = size_,
                                     .communicator = communicator_,
                                     .owner = nullptr,
                                     .generation = 0,
                                     .stream = nullptr,
                                     .latest = 0,
                                     .next_unused = 0});
  }
  static constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 44) - 1;  // that an entry has room for

  RANKWISE_HOT requests::Request entry_for(MPI_Request request, requests::Kind kind) const {
    requests::Request entry = requests::of_communicator(abi::bits(request), index_, kind);
    entry.key = keys::with_bin(key_, keys::bin(size_));
    entry.recorded = !process::paused;
    return entry;
  }

  requests::Request persistent_entry_for(MPI_Request request, requests::Kind kind) const {
    requests::Request entry = entry_for(request, kind);
    entry.persistent = 1;
    return entry;
  }

  void one_sided_message(rankwise_message_kind kind, int target, std::uint64_t bytes);
  void opens_epoch(MPI_Group group, windows::Peers &peers);
  void sends_signals(const windows::Peers &peers, windows::Signal signal, std::uint64_t posted);
  void receives_signals(const windows::Peers &peers, windows::Signal signal, std::uint16_t flags = 0);

  RANKWISE_HOT void on_adopted() {
    index_ = communicator_->index;
    key_ = keys::calls(procedure_, index_, regions::current, site_);
  }
  communicators::Origin origin_of_made() const;
  communicators::Origin next_child();

  Thread *thread_;
  Procedure procedure_;
  bool adopt_ = false;
  bool reordered_ = false;
  bool from_nobody_ = false;
  bool polling_ = false;
  bool partitioned_ = false;
  bool in_sample_ = false;     // some of the messages that it has numbered
  bool is_open_ = false;       // its request is known to the streams
  bool was_matched_ = false;   // its message, by MPI_Mprobe
  std::uint64_t matched_ = 0;  // handle of that message if it is in the sample
  std::uint32_t messages_ = 0;
  std::uint32_t index_ = RANKWISE_COMMUNICATOR_NONE;
  MPI_Comm comm_{};
  communicators::Communicator *communicator_ = nullptr;
  MPI_Win win_{};
  windows::Window *window_ = nullptr;
  std::uint64_t key_ = 0;
  std::uint64_t source_ = partners::nobody;
  std::uint64_t destination_ = partners::nobody;
  std::uint64_t start_ = 0;
  std::uint64_t stop_ = 0;
  std::uint64_t left_before_ = 0;  // key of the thread's latest call before
  std::uint64_t size_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  bool has_pattern_ = false;  // a collective whose algorithm will be identified
  bool outlives_ = false;     // non-blocking
  bool size_varies_ = false;  // by process
  bool all_came_ = false;     // a collective on a window or a file, or among neighbours, that has succeeded
  int root_ = -1;
  std::uint64_t traits_ = 0;  // rankwise_traits
  std::uint32_t site_ = RANKWISE_SITE_UNKNOWN;
  // Whether the call is on a file, and its opening was seen.
  enum class Access : std::uint8_t { none, unknown, known } access_ = Access::none;
  std::uint32_t file_index_ = RANKWISE_FILE_OTHER;
  files::File *file_ = nullptr;
  MPI_Status *status_ = nullptr;
};

}  // namespace RANKWISE_WAY
