// Starts persistent requests. Included inside the namespace of a build.
//
// The bytes that an operation sends, and later receives, are booked on MPI_Start or MPI_Startall, at the place of the
// start, with the operation's communicator and size. For MPI_Start that is the row of the call; one MPI_Startall may
// start operations of every kind, so its call is booked with size 0.

inline namespace RANKWISE_WAY {

class Starting {
 public:
  // They count as active from here on: until MPI_Start returns, no other thread may use them.
  RANKWISE_HOT Starting(Call &call, int count, const MPI_Request *requests)
      : call_(call), count_(requests != nullptr && count > 0 ? count : 0), requests_(requests) {
    const auto n = static_cast<std::size_t>(count_);
    started_ = static_cast<requests::Request *>(call.thread().scratch_memory(n * sizeof(requests::Request)));
    if (started_ == nullptr) [[unlikely]] {
      counters_file::drop(RANKWISE_DROPPED_REQUESTS, n);
      count_ = 0;
    }
    for (int i = 0; i < count_; ++i) {
      started_[i] = requests::table.start(abi::bits(requests[i]), call.procedure(), place_, recorded_);
      if (started_[i].kind != requests::Kind::none) call_.also_on(started_[i].communicator);
    }
    call.thread().of_call.starting = started_;
    call.thread().of_call.starting_count = count_;
  }

  RANKWISE_HOT void started(int rc) {
    call_.thread().of_call.starting_count = 0;
    for (int i = 0; i < count_; ++i) {
      if (started_[i].kind == requests::Kind::none) continue;
      if (rc != abi::success) {
        requests::table.complete(started_[i].handle);
        continue;
      }
      if (abi::bits(requests_[i]) != started_[i].handle) [[unlikely]] {
        follow(started_[i], abi::bits(requests_[i]), keys::started(started_[i].key, place_, call_.procedure()),
               recorded_);
      }
      if (call_.procedure() == Procedure::MPI_Start) call_.has_size_of(started_[i].key);
      if (sends(started_[i]) && recorded_) book(started_[i]);
      if (started_[i].operation == 0) continue;
      if (started_[i].kind == requests::Kind::collective) [[unlikely]] {
        start_collective(call_.thread(), started_[i].operation,
                         {call_.started(), call_.stopped(), call_.left_before(), 0, 0, recorded_},
                         abi::bits(requests_[i]));
      } else {
        number(abi::bits(requests_[i]), started_[i].operation);
      }
    }
  }

 private:
  static bool sends(const requests::Request &request) {
    return request.kind == requests::Kind::send || request.kind == requests::Kind::collective;
  }

  RANKWISE_HOT void book(const requests::Request &request) {
    if (request.bytes != 0) {
      const std::uint64_t key = keys::of_start(keys::started(request.key, place_, call_.procedure()));
      booking::row(call_.thread(), key, 0).bytes_sent += request.bytes;
    }
    if (request.addressed) {
      booking::add_message(call_.thread(), RANKWISE_MESSAGE_POINT_TO_POINT, call_.procedure(), request.communicator,
                           request.peer, request.bytes);
    }
  }

  // The start represents a message.
  RANKWISE_HOT void number(std::uint64_t handle, std::uint32_t operation) {
    streams::operations::Operation &of = streams::operations::at(operation);
    streams::Streams &all = call_.thread().streams;
    const std::uint64_t posted = call_.started();
    if (of.owner == &all && of.generation == all.generation() && !all.may_keep(of.stream->messages, posted))
        [[likely]] {
      ++of.stream->messages;
    } else {
      number_slowly(all, of, handle, posted);
    }
  }

  [[gnu::cold, gnu::noinline]] static void number_slowly(streams::Streams &all, streams::operations::Operation &of,
                                                         std::uint64_t handle, std::uint64_t posted) {
    if (of.any) {
      if (all.open(handle, of.channel, of.communicator, posted, of.procedure)) requests::table.put_in_sample(handle);
      return;
    }
    of.stream = all.search(of.channel, of.identity);
    const std::uint64_t number = of.stream->messages++;
    const bool open = of.channel.receives && all.may_be_taken(of.channel, *of.stream);
    of.owner = of.channel.receives && all.has_open() ? nullptr : &all;
    of.generation = all.generation();
    const auto flags = static_cast<std::uint16_t>(open ? RANKWISE_SIDE_UNCERTAIN : 0);
    if (all.stage({of.stream, number, posted, of.bytes, of.procedure, flags}) && all.pend(handle)) {
      requests::table.put_in_sample(handle);
    }
  }

  [[gnu::cold, gnu::noinline]] static void start_collective(const Thread &thread, std::uint32_t operation,
                                                            const arrivals::Call &call, std::uint64_t handle) {
    if (arrivals::started(streams::operations::at(operation), thread, call, handle)) {
      requests::table.put_in_sample(handle);
    }
  }

  // Open MPI continues with another request if the latest message of a persistent one is still in progress.
  //
  // RATIONALE: static, like number_slowly(). If the address left the wrapper, the compiler would keep the whole call in
  // memory, and not in registers.
  [[gnu::cold, gnu::noinline]] static void follow(requests::Request request, std::uint64_t handle, std::uint64_t key,
                                                  bool recorded) {
    request.key = key;
    request.recorded = recorded;
    request.active = 1;
    requests::table.rename(request, handle);
  }

  Call &call_;
  int count_;
  const MPI_Request *requests_;
  std::uint64_t place_ = keys::place(regions::current, call_.site());
  bool recorded_ = !process::paused;
  requests::Request *started_ = nullptr;
};

}  // namespace RANKWISE_WAY
