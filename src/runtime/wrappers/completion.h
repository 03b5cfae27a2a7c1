// Completion calls: which communicator they wait on, and the bytes that have arrived. Included inside the namespace
// of a build.

class Completion {
 public:
  RANKWISE_HOT Completion(Call &call, int count, const MPI_Request *requests)
      : call_(call), count_(requests != nullptr && count > 0 ? count : 0), requests_(requests) {
    // (What is invalid is left to MPI, whose error the program may have asked to see.)
    // Room for the handles (which completion overwrites), what is known of them, and statuses, in one piece.
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

  // For calls that complete all requests or fail: takes them out beforehand, because as soon as one has completed
  // another thread may get its handle for a new one.
  RANKWISE_HOT void take_all() {
    for (int i = 0; i < count_; ++i) {
      known_[i] =
          requests_[i] == abi::request_null ? requests::Request{} : requests::table.complete(abi::bits(requests_[i]));
      if (known_[i].kind == requests::Kind::none) continue;
      call_.also_on(known_[i].communicator);
      call_.also_waits_for(known_[i]);
    }
    call_.thread().taken = count_;
  }

  // For calls that may complete some.
  RANKWISE_HOT void look() {
    for (int i = 0; i < count_; ++i) {
      known_[i] =
          requests_[i] == abi::request_null ? requests::Request{} : requests::table.look(abi::bits(requests_[i]));
      if (requests::is_under_way(known_[i])) call_.also_on(known_[i].communicator);
    }
  }

  // The statuses that the call really writes to: ours where the program ignores its own.
  RANKWISE_HOT MPI_Status *statuses(MPI_Status *given) {
    written_ = given == abi::status_ignore() && count_ > 0 ? statuses_ : given;
    return written_;
  }

  // After take_all().
  RANKWISE_HOT void took_all(int rc) {
    call_.thread().taken = 0;
    for (int i = 0; i < count_; ++i) end(rc, known_[i], i, i);
  }

  // After look(): the request at `index` has completed, its status is the given one of those written.
  RANKWISE_HOT void completed(int index, int status, int rc = abi::success) {
    if (index < 0 || index >= count_) return;
    end(rc, requests::table.complete(known_[index]), index, status);
  }

  RANKWISE_HOT void tested_all(int rc, bool flag) {
    if (rc == abi::success ? !flag : !abi::is_error_in_status(rc)) return;
    for (int i = 0; i < count_; ++i) completed(i, i, rc);
  }

  RANKWISE_HOT void completed_some(int rc, int completed_count, const int *indices) {
    if (rc != abi::success && !abi::is_error_in_status(rc)) return;
    if (completed_count == abi::undefined) return;
    for (int i = 0; i < completed_count; ++i) completed(indices[i], i, rc);
  }

 private:
  // What a call that returned `rc` means for one of its requests.
  RANKWISE_HOT void end(int rc, const requests::Request &request, int index, int status) {
    if (rc == abi::success) {
      finish(call_.thread(), request, &written_[status]);
    } else if (request.kind != requests::Kind::none) {
      end_after_error(call_.thread(), rc, request, requests_[index], &written_[status]);
    }
  }

  // RATIONALE: what is not inlined is static. The address of a completion that leaves the wrapper would keep it and its
  // call in memory, where now the compiler keeps them in registers.
  [[gnu::cold, gnu::noinline]] static void end_after_error(Thread &thread, int rc, const requests::Request &request,
                                                           MPI_Request handle, const MPI_Status *status) {
    const bool told = abi::is_error_in_status(rc);
    const int error = told ? status->MPI_ERROR : rc;
    // (The handle of a persistent request stays, whatever becomes of it.)
    const bool alive = request.persistent ? abi::is_pending(error) : handle != abi::request_null;
    if (told && error == abi::success) {
      finish(thread, request, status);
    } else if (alive) {
      requests::table.put(request);
    } else {
      requests::lost(request);
    }
  }

  RANKWISE_HOT static void finish(Thread &thread, const requests::Request &request, const MPI_Status *status) {
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
};

// MPI_Request_free. Takes the request out beforehand, as above.
class Freeing {
 public:
  Freeing(Call &call, const MPI_Request *request) {
    if (request == nullptr || *request == abi::request_null) return;
    request_ = requests::table.remove(abi::bits(*request));
    if (request_.kind != requests::Kind::none) call.on_index(request_.communicator);
  }

  // What an active request still receives is never known.
  void freed(int rc) {
    if (request_.kind == requests::Kind::none) return;
    if (rc != abi::success) {
      requests::table.put(request_);
    } else if (requests::is_under_way(request_)) {
      requests::lost(request_);
    }
  }

 private:
  requests::Request request_{};
};
