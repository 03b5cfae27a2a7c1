// Streams: the messages that one process sends to another on one communicator with one tag. MPI matches them in the
// order in which they are sent, so both sides number them in the same way, without a message.
//
// For the same sampled numbers, both sides keep when they were posted, and the begin and end of the call that waited
// for them. The reader joins the sides, and so knows which side was late: the sender or the receiver.
// docs/explanation/how-it-works.md, "Late senders and late receivers", explains which numbers are certain.
#ifndef RANKWISE_STREAMS_H
#define RANKWISE_STREAMS_H

#include <cstddef>
#include <cstdint>

#include "format.h"
#include "generated/procedures.h"
#include "hash.h"
#include "partners.h"
#include "time_sample.h"

namespace rankwise {

namespace communicators {
struct Communicator;
}

namespace streams {

// The stream of a message, on its process. The peer is the other side: the source of a receive, the destination of a
// send.
struct Channel {
  std::uint32_t communicator;  // index in keys
  std::uint32_t rank;          // of the peer in the communicator (of an intercommunicator in the remote group)
  std::int32_t tag;
  bool receives;
};

// The identity of its stream for both processes: no number that only one of them knows.
struct Identity {
  std::uint64_t communicator;  // id, or 0: not known to be the same on both
  std::uint32_t peer;          // rank in MPI_COMM_WORLD, or RANKWISE_PEER_UNKNOWN
};

// A call that waited.
struct Waited {
  std::uint64_t began;
  std::uint64_t ended;
  std::uint64_t key;  // of its row
  std::uint32_t messages;
};

[[gnu::always_inline]] constexpr std::uint64_t where(std::uint32_t communicator, bool receives) {
  return std::uint64_t{communicator} << 1 | (receives ? 1U : 0U);
}

// Ranks and tags that represent any, in the open receives.
constexpr std::uint32_t any_rank = ~0U;
constexpr std::int32_t any_tag = RANKWISE_TAG_ANY;

// The streams of one thread, and its kept messages. Only the thread itself uses them. If two threads have a stream, the
// reader notices it, and leaves it out.
class Streams {
 public:
  // Call first: sets the owner of these streams.
  void belong_to(int thread, rankwise_thread *record) {
    thread_ = thread;
    record_ = record;
  }

  // The stream if it has been used lately and its next number is certain; else nullptr, and search() finds or creates
  // it. `partner` as in partners.h.
  [[gnu::always_inline]] rankwise_stream *find(std::uint64_t partner, std::uint64_t where) const {
    const Entry &entry = cache_[slot_of(partner, where)];
    return entry.partner == partner && entry.where == where ? entry.stream : nullptr;
  }
  [[gnu::cold, gnu::noinline]] rankwise_stream *search(const Channel &channel, const Identity &identity);

  // Whether a message with this number that is posted now may be in one of the samples.
  //
  // RATIONALE: multiples of the golden ratio are spread evenly, also at every k-th message, so a loop of the program
  // never meets the sample in the same place. Halving the limit keeps half of the messages. But the messages that one
  // call waits for may have numbers that are never in the sample together: one extra message in one of the streams
  // suffices. Messages that are posted in the same stretch of time are always together in the sample by time.
  [[gnu::always_inline]] bool may_keep(std::uint64_t number, std::uint64_t now) const {
    return scatter(number + 1) <= limits_[by_number] || times_.may_take(now);
  }

  // Whether receives are open that may match unknown messages.
  bool has_open() const { return open_count_ != 0; }
  // Whether one of them may match messages of this stream as well, so that a number that is counted now is not certain.
  bool may_be_taken(const Channel &channel, rankwise_stream &stream) const;

  // --- A message of the running call that is in the sample: it completes in this call, or later ---
  struct Message {
    rankwise_stream *stream;
    std::uint64_t number;
    std::uint64_t posted;
    std::uint64_t bytes;
    Procedure procedure;
    std::uint16_t flags;  // rankwise_side_flags
  };
  // False if it is not in the sample.
  [[gnu::cold, gnu::noinline]] bool stage(const Message &message);
  // The call has completed them.
  [[gnu::cold, gnu::noinline]] void completed(const Waited &call);
  // A message that the call has sent, or waited for: equals stage() and completed().
  [[gnu::cold, gnu::noinline]] void pass(const Channel &channel, const Identity &identity, Message message,
                                         const Waited &call);
  // They wait for the request or matched message with this handle. False if there is no room.
  [[gnu::cold, gnu::noinline]] bool pend(std::uint64_t handle);
  // A copy of them waits for the message that MPI_Mprobe has matched; they themselves are only probed.
  [[gnu::cold, gnu::noinline]] bool pend_probed(std::uint64_t handle, bool waited);
  // A matched message is received now.
  [[gnu::cold, gnu::noinline]] bool stage_matched(std::uint64_t handle, std::uint64_t posted, std::uint64_t bytes,
                                                  Procedure procedure);

  // --- Receives from any source or with any tag, in the order in which they are posted ---
  [[gnu::cold, gnu::noinline]] bool open(std::uint64_t handle, const Channel &pattern,
                                         communicators::Communicator *communicator, std::uint64_t posted,
                                         Procedure procedure);
  struct Open {
    std::uint64_t handle;  // 0 = its match will remain unknown
    std::uint64_t sequence;
    std::uint64_t posted;
    Channel pattern;
    communicators::Communicator *communicator;
    Procedure procedure;
  };
  // nullptr if the handle does not belong to an open receive.
  const Open *opened(std::uint64_t handle) const;
  // It has received a message of this stream, nullptr: none.
  void close(const Open *open, const Channel &channel, rankwise_stream *stream, std::uint64_t bytes);

  // --- Completion calls --- The request with this handle, or one of several with the same handle; it represents so
  // many messages.
  [[gnu::cold, gnu::noinline]] void finished(std::uint64_t handle, std::int64_t bytes, std::uint32_t messages);
  [[gnu::cold, gnu::noinline]] void freed(std::uint64_t handle);
  // All completions of the call were reported.
  bool has_unfinished() const { return unfinished_ != 0; }
  [[gnu::cold, gnu::noinline]] void call_ended(std::uint64_t ended, std::uint32_t messages);
  // A call that waited for something else.
  [[gnu::always_inline]] void waited_for_other(const Waited &call) {
    const std::uint64_t number = unknown_.messages++;
    if (tables_ != nullptr && may_keep(number, call.began)) [[unlikely]] {
      add_other(number, call);
    }
  }

  // A message of these streams may be cancelled: from here on numbers are not certain.
  [[gnu::cold, gnu::noinline]] void broken(std::uint32_t communicator, std::uint64_t partner, bool receives);
  // A call has failed or was left, so its messages are unknown: no number is certain any more.
  [[gnu::cold, gnu::noinline]] void lose();

  // Changes when streams move.
  std::uint32_t generation() const { return generation_; }

 private:
  static constexpr unsigned cache_bits = 6;
  enum Filter : std::uint8_t { by_number, by_tag, by_pair, filters };

  struct Entry {
    std::uint64_t partner;
    std::uint64_t where;  // (never 0: an entry that was never filled holds 0)
    rankwise_stream *stream;
    std::uint64_t unused;
  };
  struct Tables;

  static constexpr std::uint64_t slot_of(std::uint64_t partner, std::uint64_t where) {
    return scatter(partner + (where << 24)) >> (64 - cache_bits);
  }

  bool start();
  bool take(std::uint64_t number, std::uint64_t posted, std::uint16_t &flags);
  rankwise_stream *add(const Channel &channel, const Identity &identity);
  bool in_sample(std::uint64_t tag, std::uint64_t pair) const;
  bool is_in_sample(const rankwise_side &side) const;
  bool add_side(const Message &message, const Waited &call);
  void add_other(std::uint64_t number, const Waited &call);
  std::uint64_t hash_of(const rankwise_side &side, Filter filter) const;
  bool is_by_number(std::uint64_t number) const { return scatter(number + 1) <= limits_[by_number]; }
  void make_room();
  void thin_times(std::uint32_t by_numbers);
  void thin_numbers(std::uint32_t count);
  bool thin_streams();
  void halve(Filter filter);
  void compact_sides();
  void compact_streams();
  void forget_cache();

  Entry cache_[1U << cache_bits] = {};
  std::uint64_t limits_[filters] = {~0ULL, ~0ULL, ~0ULL};
  TimeSample times_;
  rankwise_stream unknown_{};   // whose identity the other side does not know
  rankwise_stream left_out_{};  // not in the sample
  Tables *tables_ = nullptr;
  std::uint64_t first_ = 0;   // ticks: the first kept message
  std::uint64_t opened_ = 0;  // open receives so far
  std::uint32_t open_count_ = 0;
  std::uint32_t staged_count_ = 0;
  std::uint32_t unfinished_ = 0;  // the last of the sides: their call has not ended yet
  std::uint32_t generation_ = 0;
  int thread_ = 0;
  bool lost_ = false;
  rankwise_thread *record_ = nullptr;
  Message staged_[2] = {};
};

// Persistent operations: the counts of each start. (For collectives: arrivals.h.)
namespace operations {

struct Operation {
  Channel channel;
  Identity identity;
  Procedure procedure;
  bool any;  // a receive from any source or with any tag
  std::uint64_t bytes;
  communicators::Communicator *communicator;
  const Streams *owner;  // of `stream`
  std::uint32_t generation;
  rankwise_stream *stream;
  std::uint64_t latest;  // of a collective: number of its latest start; the rank of the channel is the root
  std::uint32_t next_unused;
};

// Its number, from 1; 0 if there is no room.
std::uint32_t add(const Operation &operation);
inline Operation *all = nullptr;
inline Operation &at(std::uint32_t number) { return all[number]; }
void remove(std::uint32_t number);

}  // namespace operations

}  // namespace streams
}  // namespace rankwise

#endif
