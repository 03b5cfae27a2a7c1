// Completion calls: the communicator that they wait on, and the bytes that have arrived. Included inside the namespace
// of a build.

inline namespace RANKWISE_WAY {

class Completion {
 public:
  RANKWISE_HOT Completion(Call &call, int count, const MPI_Request *requests)
      : call_(call), count_(requests != nullptr && count > 0 ? count : 0), requests_(requests) {
    // (Invalid arguments are left to MPI, whose error the program may want to see.) Space for the handles (which
    // completion overwrites), their requests, and statuses, in one piece.
    const auto n = static_cast<std::size_t>(count_);
    auto *memory =
        static_cast<char *>(call.thread().scratch_memory(n * (sizeof(requests::Request) + sizeof(MPI_Status))));
    if (memory == nullptr) [[unlikely]] {
      counters_file::drop(RANKWISE_DROPPED_REQUESTS, n);
      count_ = 0;
      return;
    }
    known_ = reinterpret_cast<requests::Request *>(memory);
    statuses_ = reinterpret_cast<MPI_Status *>(memory + n * sizeof(requests::Request));
  }

  // For calls that complete all requests or fail: takes them out before the call, because as soon as one has completed
  // another thread may get its handle for a new one.
  RANKWISE_HOT void take_all() {
    for (int i = 0; i < count_; ++i) {
      known_[i] =
          requests_[i] == abi::request_null ? requests::Request{} : requests::table.complete(abi::bits(requests_[i]));
      if (known_[i].kind == requests::Kind::none) continue;
      call_.also_on(known_[i].communicator);
      call_.also_waits_for(known_[i]);
    }
    call_.thread().of_call.taken = count_;
  }

  // For calls that may complete some.
  RANKWISE_HOT void look() {
    for (int i = 0; i < count_; ++i) {
      known_[i] =
          requests_[i] == abi::request_null ? requests::Request{} : requests::table.look(abi::bits(requests_[i]));
      if (requests::is_under_way(known_[i])) call_.also_on(known_[i].communicator);
      some_in_sample_ = some_in_sample_ || known_[i].in_sample != 0;
    }
  }

  // The statuses that the call really writes to: ours if the program ignores them.
  RANKWISE_HOT MPI_Status *statuses(MPI_Status *given) {
    written_ = given == abi::status_ignore() && count_ > 0 ? statuses_ : given;
    return written_;
  }

  // After take_all().
  RANKWISE_HOT void took_all(int rc) {
    call_.thread().of_call.taken = 0;
    for (int i = 0; i < count_; ++i) end(rc, known_[i], i, i, count_);
    if (call_.thread().streams.has_unfinished()) [[unlikely]] {
      tell_end(call_.thread(), call_.stopped(), known_, count_);
    } else {
      call_.waited_for_other();
    }
  }

  // After look(): none has completed.
  RANKWISE_HOT void not_yet() {
    if (some_in_sample_) [[unlikely]] {
      tell_asked(call_.started(), call_.stopped(), known_, count_);
    }
  }

  // After look(): the request at `index` has completed, and no other one.
  RANKWISE_HOT void completed(int index) {
    completed(index, 0, abi::success);
    completed_messages(1);
  }

  RANKWISE_HOT void tested_all(int rc, bool flag) {
    if (rc == abi::success ? !flag : !abi::is_error_in_status(rc)) return not_yet();
    for (int i = 0; i < count_; ++i) completed(i, i, rc, count_);
    completed_messages(count_);
  }

  RANKWISE_HOT void completed_some(int rc, int completed_count, const int *indices) {
    if (rc != abi::success && !abi::is_error_in_status(rc)) return;
    if (completed_count == abi::undefined) return;
    if (completed_count == 0) return not_yet();
    for (int i = 0; i < completed_count; ++i) completed(indices[i], i, rc);
    completed_messages(completed_count);
  }

 private:
  // After look(): the request at `index` has completed, with the given one of the written statuses.
  RANKWISE_HOT void completed(int index, int status, int rc, int together = 0) {
    if (index < 0 || index >= count_) return;
    end(rc, requests::table.complete(known_[index]), index, status, together);
  }

  RANKWISE_HOT void completed_messages(int count) {
    if (call_.thread().streams.has_unfinished()) [[unlikely]] {
      call_.thread().streams.call_ended(call_.stopped(), static_cast<std::uint32_t>(count));
    }
  }

  [[gnu::cold, gnu::noinline]] static void tell_asked(std::uint64_t start, std::uint64_t stop,
                                                      const requests::Request *known, int count) {
    for (int i = 0; i < count; ++i) {
      if (known[i].in_sample && known[i].kind == requests::Kind::collective) {
        arrivals::asked(known[i].handle, start, stop);
      }
    }
  }

  // How many messages the call waited for. An unknown request, or a request without message, counts as one that is not
  // kept.
  [[gnu::cold, gnu::noinline]] static void tell_end(Thread &thread, std::uint64_t ended, const requests::Request *known,
                                                    int count) {
    std::uint32_t messages = 0;
    for (int i = 0; i < count; ++i) messages += requests::messages(known[i]);
    thread.streams.call_ended(ended, messages);
  }

  // The outcome for one of the requests of a call that returned `rc`. `together`: all of the first so many have
  // completed.
  RANKWISE_HOT void end(int rc, const requests::Request &request, int index, int status, int together) {
    if (rc == abi::success) {
      finish(call_.thread(), request, &written_[status], known_, together);
    } else if (request.kind != requests::Kind::none) {
      end_after_error(call_.thread(), rc, request, requests_[index], &written_[status]);
    }
  }

  // RATIONALE: functions that are not inlined are static. If the address of a completion left the wrapper, the compiler
  // would keep it and its call in memory, and not in registers.
  [[gnu::cold, gnu::noinline]] static void end_after_error(Thread &thread, int rc, const requests::Request &request,
                                                           MPI_Request handle, const MPI_Status *status) {
    const bool told = abi::is_error_in_status(rc);
    const int error = told ? status->MPI_ERROR : rc;
    // (The handle of a persistent request stays in any case.)
    const bool alive = request.persistent ? abi::is_pending(error) : handle != abi::request_null;
    if (told && error == abi::success) {
      finish(thread, request, status, nullptr, 0);
    } else if (alive) {
      requests::table.put(request);
    } else {
      requests::lost(request);
    }
    thread.streams.lose();
  }

  RANKWISE_HOT static void finish(Thread &thread, const requests::Request &request, const MPI_Status *status,
                                  const requests::Request *all, int count) {
    if (request.in_sample) [[unlikely]] {
      finish_sampled(thread, request, *status, all, count);
    }
    if (requests::accesses_file(request.kind)) [[unlikely]] {
      return finish_access(thread, request, *status);
    }
    if (!requests::receives(request.kind) || !request.recorded) {
      if (request.kind == requests::Kind::collective && request.peer != 0) inside::operations::complete(request.peer);
      return;
    }
    if (request.kind == requests::Kind::untold) [[unlikely]] {
      return requests::lost(request);
    }
    const bool whole = request.kind == requests::Kind::partitioned;
    const std::int64_t bytes = whole ? static_cast<std::int64_t>(request.bytes) : abi::received_bytes(*status);
    if (bytes < 0) return;  // cancelled
    if (request.kind == requests::Kind::receive && !request.persistent) {
      const auto came = static_cast<std::uint64_t>(bytes);
      booking::row_of_moved(thread, request.key, request.once.ticks, came).bytes_received += came;
    } else {
      const std::uint64_t key = request.persistent ? keys::of_start(request.key) : request.key;
      booking::row(thread, key, 0).bytes_received += static_cast<std::uint64_t>(bytes);
    }
  }

  [[gnu::cold, gnu::noinline]] static void finish_sampled(Thread &thread, const requests::Request &request,
                                                          const MPI_Status &status, const requests::Request *all,
                                                          int count) {
    if (request.kind == requests::Kind::collective &&
        arrivals::completed(request.handle, thread.record->inside_since, clock::ticks(), collectives(all, count))) {
      return;
    }
    const std::int64_t bytes = requests::receives(request.kind) ? abi::received_bytes(status) : 0;
    const streams::Streams::Open *open = thread.streams.opened(request.handle);
    if (open != nullptr) close(thread, *open, bytes, status);
    thread.streams.finished(request.handle, bytes, requests::messages(request));
  }

  // How many of the requests that have completed in one call are collectives.
  static std::uint64_t collectives(const requests::Request *all, int count) {
    const auto is_one = [](const requests::Request &one) {
      return one.kind == requests::Kind::collective && requests::is_under_way(one);
    };
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(std::count_if(all, all + count, is_one)), 1);
  }

  // The matched message of the receive is known now.
  static void close(Thread &thread, const streams::Streams::Open &open, std::int64_t bytes, const MPI_Status &status) {
    if (bytes < 0) return thread.streams.close(&open, {}, nullptr, 0);  // cancelled
    communicators::Communicator &communicator = *open.communicator;
    // Freed meanwhile: its processes are not known any more.
    if (communicator.index != open.pattern.communicator) return thread.streams.lose();
    const streams::Channel channel{open.pattern.communicator, static_cast<std::uint32_t>(status.MPI_SOURCE),
                                   status.MPI_TAG, true};
    rankwise_stream *stream =
        thread.streams.find(partners::word(channel.rank + 1, channel.tag), streams::where(channel.communicator, true));
    if (stream == nullptr) {
      const int peer = world_rank_at_once(communicator, status.MPI_SOURCE);
      const auto known =
          peer < 0 ? static_cast<std::uint32_t>(RANKWISE_PEER_UNKNOWN) : static_cast<std::uint32_t>(peer);
      stream = thread.streams.search(channel, {communicator.common_id(), known});
    }
    thread.streams.close(&open, channel, stream, static_cast<std::uint64_t>(bytes));
  }

  [[gnu::noinline]] static void finish_access(Thread &thread, const requests::Request &request,
                                              const MPI_Status &status) {
    if (!request.recorded) return;
    const std::uint64_t bytes = abi::bytes_of(status);
    rankwise_calls &calls = booking::row_of_moved(thread, request.key, request.once.ticks, bytes);
    rankwise_accesses &row = booking::access_row(thread, request.peer, keys::procedure(request.key));
    if (request.kind == requests::Kind::reading) {
      calls.bytes_received += bytes;
      row.bytes_read += bytes;
    } else {
      calls.bytes_sent += bytes;
      row.bytes_written += bytes;
    }
  }

  Call &call_;
  int count_;
  const MPI_Request *requests_;
  requests::Request *known_ = nullptr;
  MPI_Status *statuses_ = nullptr;
  MPI_Status *written_ = nullptr;
  bool some_in_sample_ = false;
};

// MPI_Request_free. Takes the request out before the call, as above.
class Freeing {
 public:
  Freeing(Call &call, const MPI_Request *request) : thread_(call.thread()) {
    if (request == nullptr || *request == abi::request_null) return;
    request_ = requests::table.remove(abi::bits(*request));
    if (request_.kind != requests::Kind::none) call.on_index(request_.communicator);
  }

  // The remaining bytes of an active request are never known.
  void freed(int rc) {
    if (request_.kind == requests::Kind::none) return;
    if (rc != abi::success) return requests::table.put(request_);
    if (request_.in_sample && requests::is_under_way(request_)) thread_.streams.freed(request_.handle);
    if (request_.persistent) streams::operations::remove(request_.operation);
    if (requests::is_under_way(request_)) requests::lost(request_);
  }

 private:
  Thread &thread_;
  requests::Request request_{};
};

}  // namespace RANKWISE_WAY
