// The messages of the call in progress, until the collective and its size are known.
#ifndef RANKWISE_INSIDE_RUNNING_H
#define RANKWISE_INSIDE_RUNNING_H

#include <cstdint>

namespace rankwise::inside {

// RATIONALE: the size of a collective is determined after the call has succeeded, because querying MPI about arguments
// that may be wrong would cause an additional error.
class Running {
 public:
  struct Entry {
    std::uint64_t operation;  // 0 = a blocking call's
    std::uint64_t bytes;
    std::uint32_t peer;
    std::uint32_t messages;  // 0 = the operation was learned, nothing sent
  };

  // Notes a message of the call that began at `start`; notes of an earlier call are gone.
  [[gnu::always_inline]] void note(std::uint64_t start, const Entry &entry) {
    if (note_at_once(start, entry)) return;
    if (grow()) {
      *end_++ = entry;
    } else {
      ++lost_;
    }
  }

  // The same if there is room, else false.
  [[gnu::always_inline]] bool note_at_once(std::uint64_t start, const Entry &entry) {
    if (start_ != start) {
      start_ = start;
      end_ = entries_;
      lost_ = 0;
    } else if (end_ != entries_ && continues(end_[-1], entry)) {
      end_[-1].bytes += entry.bytes;
      end_[-1].messages += entry.messages;
      return true;
    }
    if (end_ == limit_) [[unlikely]] {
      return false;
    }
    *end_++ = entry;
    return true;
  }

  // Notes from elsewhere about the call that began at `start`.
  void take(std::uint64_t start, const Running &other) {
    if (!other.is_of(start)) return;
    for (const Entry &entry : other) note(start, entry);
    lost_ += other.lost_;
  }
  // Moves the start of the call that began at `start`.
  void began_later(std::uint64_t start, std::uint64_t later) {
    if (start_ == start) start_ = later;
  }
  void release();

  const Entry *begin() const { return entries_; }
  const Entry *end() const { return end_; }
  bool is_of(std::uint64_t start) const { return start_ == start; }
  std::uint64_t lost() const { return lost_; }

 private:
  // Segments of a pipeline follow each other.
  static bool continues(const Entry &last, const Entry &entry) {
    return last.peer == entry.peer && last.operation == entry.operation && last.messages != 0 && entry.messages != 0;
  }

  [[gnu::cold]] bool grow();

  Entry *entries_ = nullptr;
  Entry *end_ = nullptr;    // in use
  Entry *limit_ = nullptr;  // allocated
  std::uint64_t start_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace rankwise::inside

#endif
