// Rules of calls on files. Included inside the namespace of a build.

// A file whose opening was not seen, or that found no memory: booked on "other", but not before the call has succeeded,
// as the handle may be invalid.
inline void Call::on_file(MPI_File fh) {
  file_ = files::table.find(thread_->file_cache, abi::bits(fh));
  access_ = file_ != nullptr ? Access::known : Access::unknown;
  if (file_ == nullptr) return;
  index_ = file_->communicator;
  file_index_ = file_->index;
}

inline void Call::opened(MPI_File fh, const char *filename, int amode) {
  // It has failed, regardless of its result. (MPICH's layer of the standard ABI leaves a different null handle.)
  if (fh == abi::file_null || fh == nullptr) return;
  const bool has_room =
      thread_->calls.size() < RANKWISE_MOST_ROWS_FOR_FILES && thread_->messages.size() < RANKWISE_MOST_ROWS_FOR_FILES;
  file_index_ = files::opened(abi::bits(fh), filename, communicator_, abi::file_mode(amode), has_room);
  access_ = Access::known;
}

inline void Call::closing(const MPI_File *fh) {
  if (fh == nullptr) return;  // MPI's own error
  on_file(*fh);
  if (file_ != nullptr) files::table.hide(file_);
}

inline void Call::closed(int rc) {
  if (file_ == nullptr) return;
  if (rc == abi::success) {
    if (inside::active && file_->opened != nullptr && file_->opened->own != nullptr) {
      inside::operations::forget(file_->communicator);
    }
    files::closed(file_);
  } else {
    files::table.show(file_);
  }
}

inline void Call::has_read() {
  received_ = abi::bytes_of(*status_);
  size_ = received_;
}

inline void Call::has_written() {
  sent_ = abi::bytes_of(*status_);
  size_ = sent_;
}

template <class Count>
void Call::posted_read(Count count, MPI_Datatype datatype, MPI_Request request) {
  size_ = bytes_of(count, datatype);
  posted(request, requests::Kind::reading, file_index_);
}

template <class Count>
void Call::posted_write(Count count, MPI_Datatype datatype, MPI_Request request) {
  size_ = bytes_of(count, datatype);
  posted(request, requests::Kind::writing, file_index_);
}
