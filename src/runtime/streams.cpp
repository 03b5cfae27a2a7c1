#include "streams.h"

#include <cstdlib>
#include <new>

#include "counters_file.h"
#include "lock.h"
#include "process.h"

namespace rankwise::streams {
namespace {

constexpr std::uint32_t most_streams = RANKWISE_MOST_STREAMS;
constexpr std::uint32_t most_sides = RANKWISE_MOST_SIDES;
constexpr std::uint32_t most_pending = 1024;
constexpr std::uint32_t most_open = 256;
constexpr std::uint32_t index_bits = 10;
constexpr std::uint32_t index_mask = (1U << index_bits) - 1;
static_assert(most_streams * 2 <= index_mask + 1);

std::uint64_t tag_hash(const Identity &identity, std::int32_t tag) {
  return chain(chain(0, identity.communicator), static_cast<std::uint32_t>(tag));
}

// From the source to the destination, for both sides.
std::uint64_t pair_hash(const Identity &identity, const Channel &channel) {
  const auto own = static_cast<std::uint32_t>(counters_file::header()->world_rank);
  const std::uint32_t source = channel.receives ? identity.peer : own;
  const std::uint32_t destination = channel.receives ? own : identity.peer;
  return chain(chain(tag_hash(identity, channel.tag), source), destination);
}

std::uint64_t partner_of(const Channel &channel) { return partners::word(channel.rank + 1, channel.tag); }

// Its place in the sample by time, in the flags of a side.
constexpr int how_shift = RANKWISE_SIDE_AFTER_SHIFT;
constexpr std::uint16_t how_mask = 0xFF << how_shift;
static_assert(TimeSample::most_periods < 0xFF);
constexpr std::uint16_t not_by_time = 0xFF << how_shift;

int how_of(std::uint16_t flags) {
  return (flags & how_mask) == not_by_time ? TimeSample::not_in_it : (flags & how_mask) >> how_shift;
}
void set_how(std::uint16_t &flags, int how) {
  const unsigned bits = how == TimeSample::not_in_it ? not_by_time : static_cast<unsigned>(how) << how_shift;
  flags = static_cast<std::uint16_t>((flags & ~how_mask) | bits);
}

bool takes(const Channel &pattern, const Channel &channel) {
  return pattern.communicator == channel.communicator && (pattern.rank == any_rank || pattern.rank == channel.rank) &&
         (pattern.tag == any_tag || pattern.tag == channel.tag);
}

}  // namespace

// Needed only if a message is in the sample, a stream is new or a receive is open. Rows of the counters file are found
// by their index in it.
struct Streams::Tables {
  struct Pending {
    std::uint64_t handle;
    Message message;
    std::uint16_t next;  // from 1, in the list of its bucket or of the unused ones; 0 = none
  };

  rankwise_section *stream_section = nullptr;
  rankwise_section *side_section = nullptr;
  rankwise_stream *streams = nullptr;
  rankwise_side *sides = nullptr;
  std::uint64_t hashes[2][most_streams];  // of the tag and of the pair
  std::uint16_t index[index_mask + 1];    // of streams, from 1
  std::uint16_t buckets[index_mask + 1];  // of the pending messages
  std::uint16_t unused_pending = 0;
  std::uint16_t used_pending = 0;
  Pending pending[most_pending];
  Open open[most_open];

  std::uint32_t stream_count() const { return stream_section->used; }
  std::uint32_t side_count() const { return side_section->used; }
  bool holds(const rankwise_stream *stream) const { return stream >= streams && stream < streams + most_streams; }

  static std::uint64_t place(const Channel &channel) {
    return scatter(scatter(partner_of(channel)) ^ where(channel.communicator, channel.receives)) >> (64 - index_bits);
  }
  void enter(std::uint32_t number) {
    const rankwise_stream &stream = streams[number];
    const Channel channel{stream.communicator, stream.rank, stream.tag, (stream.flags & RANKWISE_STREAM_RECEIVES) != 0};
    std::uint64_t i = place(channel);
    while (index[i] != 0) i = (i + 1) & index_mask;
    index[i] = static_cast<std::uint16_t>(number + 1);
  }
  rankwise_stream *look(const Channel &channel) const {
    for (std::uint64_t i = place(channel); index[i] != 0; i = (i + 1) & index_mask) {
      rankwise_stream &stream = streams[index[i] - 1];
      if (stream.communicator == channel.communicator && stream.rank == channel.rank && stream.tag == channel.tag &&
          ((stream.flags & RANKWISE_STREAM_RECEIVES) != 0) == channel.receives) {
        return &stream;
      }
    }
    return nullptr;
  }

  std::uint16_t &bucket(std::uint64_t handle) { return buckets[scatter(handle) >> (64 - index_bits)]; }
  bool add_pending(std::uint64_t handle, const Message &message) {
    std::uint16_t number = unused_pending;
    if (number != 0) {
      unused_pending = pending[number - 1].next;
    } else if (used_pending < most_pending) {
      number = ++used_pending;
    } else {
      return false;
    }
    std::uint16_t &first = bucket(handle);
    pending[number - 1] = {handle, message, first};
    first = number;
    return true;
  }
  // Removes the latest one with this handle.
  bool take_pending(std::uint64_t handle, Message &message) {
    for (std::uint16_t *place = &bucket(handle); *place != 0; place = &pending[*place - 1].next) {
      Pending &found = pending[*place - 1];
      if (found.handle != handle) continue;
      const std::uint16_t number = *place;
      *place = found.next;
      message = found.message;
      found.message.stream = nullptr;
      found.next = unused_pending;
      unused_pending = number;
      return true;
    }
    return false;
  }
};

bool Streams::start() {
  const int thread = thread_;
  constexpr auto need = counters_file::Need::ordinary;
  rankwise_section *stream_section =
      counters_file::add_section(RANKWISE_SECTION_STREAMS, sizeof(rankwise_stream), most_streams, thread, need);
  rankwise_section *side_section =
      stream_section == nullptr
          ? nullptr
          : counters_file::add_section(RANKWISE_SECTION_SIDES, sizeof(rankwise_side), most_sides, thread, need);
  void *memory = side_section == nullptr ? nullptr : std::calloc(1, sizeof(Tables));
  if (memory == nullptr) {
    lose();
    return false;
  }
  tables_ = static_cast<Tables *>(memory);
  tables_->stream_section = stream_section;
  tables_->side_section = side_section;
  tables_->streams = static_cast<rankwise_stream *>(counters_file::records(stream_section));
  tables_->sides = static_cast<rankwise_side *>(counters_file::records(side_section));
  return true;
}

bool Streams::in_sample(std::uint64_t tag, std::uint64_t pair) const {
  return tag <= limits_[by_tag] && pair <= limits_[by_pair];
}

rankwise_stream *Streams::search(const Channel &channel, const Identity &identity) {
  rankwise_stream *found = nullptr;
  if (!lost_ && (tables_ != nullptr || start())) found = tables_->look(channel);
  if (found == nullptr) found = add(channel, identity);
  if (open_count_ == 0 || !channel.receives) {
    const std::uint64_t partner = partner_of(channel);
    const std::uint64_t here = where(channel.communicator, channel.receives);
    cache_[slot_of(partner, here)] = {partner, here, found, 0};
  }
  return found;
}

rankwise_stream *Streams::add(const Channel &channel, const Identity &identity) {
  if (lost_ || identity.communicator == 0 || identity.peer >= RANKWISE_PEER_UNKNOWN) return &unknown_;
  const std::uint64_t tag = tag_hash(identity, channel.tag);
  const std::uint64_t pair = pair_hash(identity, channel);
  while (in_sample(tag, pair) && tables_->stream_count() == most_streams) {
    if (!thin_streams()) return &left_out_;
  }
  if (!in_sample(tag, pair)) return &left_out_;
  const std::uint32_t number = tables_->stream_count();
  tables_->streams[number] = {.messages = 0,
                              .latest_open = 0,
                              .communicator = channel.communicator,
                              .rank = channel.rank,
                              .peer = identity.peer,
                              .tag = channel.tag,
                              .flags = channel.receives ? static_cast<std::uint32_t>(RANKWISE_STREAM_RECEIVES) : 0U,
                              .thread = static_cast<std::uint32_t>(thread_)};
  tables_->hashes[0][number] = tag;
  tables_->hashes[1][number] = pair;
  counters_file::publish(tables_->stream_section);
  tables_->enter(number);
  return &tables_->streams[number];
}

bool Streams::may_be_taken(const Channel &channel, rankwise_stream &stream) const {
  for (std::uint32_t i = 0; i < open_count_; ++i) {
    if (!takes(tables_->open[i].pattern, channel)) continue;
    stream.latest_open = opened_;
    return true;
  }
  return false;
}

// --- Messages of the running call ---

bool Streams::stage(const Message &message) {
  std::uint16_t flags = message.flags;
  const bool taken = take(message.number, message.posted, flags);
  const bool left_out = tables_ == nullptr || process::paused || message.stream == &left_out_ || staged_count_ == 2;
  if (!taken || left_out) return false;
  if (message.stream == &unknown_) flags |= RANKWISE_SIDE_UNCERTAIN;
  staged_[staged_count_] = message;
  staged_[staged_count_++].flags = flags;
  return true;
}

bool Streams::take(std::uint64_t number, std::uint64_t posted, std::uint16_t &flags) {
  const int how = times_.take(posted);
  set_how(flags, how);
  return how != TimeSample::not_in_it || is_by_number(number);
}

void Streams::completed(const Waited &call) {
  make_room();
  const std::uint32_t count = staged_count_;
  staged_count_ = 0;
  for (std::uint32_t i = 0; i < count; ++i) add_side(staged_[i], call);
}

void Streams::pass(const Channel &channel, const Identity &identity, Message message, const Waited &call) {
  message.stream = find(partner_of(channel), where(channel.communicator, channel.receives));
  if (message.stream == nullptr) message.stream = search(channel, identity);
  message.number = message.stream->messages;
  if ((message.flags & RANKWISE_SIDE_PROBED) == 0) ++message.stream->messages;
  if (may_keep(message.number, message.posted) && stage(message)) completed(call);
}

bool Streams::pend(std::uint64_t handle) {
  const std::uint32_t count = staged_count_;
  staged_count_ = 0;
  bool all = count != 0;
  for (std::uint32_t i = 0; i < count; ++i) all = tables_->add_pending(handle, staged_[i]) && all;
  return all;
}

bool Streams::pend_probed(std::uint64_t handle, bool waited) {
  const bool all = tables_->add_pending(handle, staged_[0]);
  staged_[0].flags |= RANKWISE_SIDE_PROBED;
  if (!waited) staged_count_ = 0;
  return all;
}

bool Streams::stage_matched(std::uint64_t handle, std::uint64_t posted, std::uint64_t bytes, Procedure procedure) {
  Message message{};
  if (tables_ == nullptr || !tables_->take_pending(handle, message)) return false;
  message.posted = posted;
  message.bytes = bytes;
  message.procedure = procedure;
  return stage(message);
}

// --- Receives from any source or with any tag ---

bool Streams::open(std::uint64_t handle, const Channel &pattern, communicators::Communicator *communicator,
                   std::uint64_t posted, Procedure procedure) {
  if (lost_ || (tables_ == nullptr && !start())) return false;
  if (open_count_ == most_open) {
    lose();
    return false;
  }
  if (open_count_ == 0) forget_cache();
  tables_->open[open_count_++] = {handle, ++opened_, posted, pattern, communicator, procedure};
  return handle != 0;
}

const Streams::Open *Streams::opened(std::uint64_t handle) const {
  for (std::uint32_t i = 0; i < open_count_; ++i) {
    if (tables_->open[i].handle == handle) return &tables_->open[i];
  }
  return nullptr;
}

// A message before this one may match a receive that was posted earlier and is still open. The receives that were
// posted since may not be numbered yet.
void Streams::close(const Open *open, const Channel &channel, rankwise_stream *stream, std::uint64_t bytes) {
  const Open closed = *open;
  const auto place = static_cast<std::uint32_t>(open - tables_->open);
  bool certain = true;
  if (stream != nullptr) {
    for (std::uint32_t i = 0; i < place; ++i) certain = certain && !takes(tables_->open[i].pattern, channel);
    certain = certain && stream->latest_open < closed.sequence;
    if (stream->latest_open < closed.sequence) stream->latest_open = closed.sequence;
  }
  --open_count_;
  for (std::uint32_t i = place; i < open_count_; ++i) tables_->open[i] = tables_->open[i + 1];
  if (stream == nullptr) return;
  const std::uint64_t number = stream->messages++;
  const auto flags = static_cast<std::uint16_t>(certain ? 0 : RANKWISE_SIDE_UNCERTAIN);
  if (stage({stream, number, closed.posted, bytes, closed.procedure, flags})) pend(closed.handle);
}

// --- Completion calls ---

void Streams::finished(std::uint64_t handle, std::int64_t bytes, std::uint32_t messages) {
  if (tables_ == nullptr) return;
  make_room();
  Message message{};
  for (; messages > 0 && tables_->take_pending(handle, message); --messages) {
    if (bytes < 0) continue;  // cancelled
    const bool receives = message.stream != &unknown_ && (message.stream->flags & RANKWISE_STREAM_RECEIVES) != 0;
    if (receives) message.bytes = static_cast<std::uint64_t>(bytes);
    if (add_side(message, {record_->inside_since, 0, record_->left_key, 0})) ++unfinished_;
    make_room();
  }
}

void Streams::freed(std::uint64_t handle) {
  for (std::uint32_t i = 0; i < open_count_; ++i) {
    if (tables_->open[i].handle == handle) tables_->open[i].handle = 0;
  }
  if (tables_ == nullptr) return;
  make_room();
  Message message{};
  while (tables_->take_pending(handle, message)) {
    add_side(message, {});
    make_room();
  }
}

void Streams::call_ended(std::uint64_t ended, std::uint32_t messages) {
  rankwise_side *end = tables_->sides + tables_->side_count();
  for (rankwise_side *side = end - unfinished_; side < end; ++side) {
    side->messages = messages;
    side->ended = ended;
  }
  unfinished_ = 0;
}

void Streams::broken(std::uint32_t communicator, std::uint64_t partner, bool receives) {
  if (tables_ == nullptr) return;
  const std::uint32_t who = partners::who(partner);
  for (std::uint32_t i = 0; i < tables_->stream_count(); ++i) {
    rankwise_stream &stream = tables_->streams[i];
    const bool same_peer =
        who > RANKWISE_PARTNER_WORLD ? stream.peer == who - RANKWISE_PARTNER_WORLD - 1 : stream.rank == who - 1;
    const bool same_way = ((stream.flags & RANKWISE_STREAM_RECEIVES) != 0) == receives;
    if (stream.communicator == communicator && same_peer && same_way) stream.flags |= RANKWISE_STREAM_BROKEN;
  }
}

void Streams::lose() {
  lost_ = true;
  if (record_ != nullptr) record_->lost_streams = 1;
  open_count_ = 0;
  staged_count_ = 0;
  forget_cache();
}

// --- Kept messages ---

bool Streams::add_side(const Message &message, const Waited &call) {
  if (message.stream == nullptr || message.stream == &left_out_) return false;
  if (first_ == 0) first_ = message.posted;
  const bool known = tables_->holds(message.stream);
  const auto stream = known ? static_cast<std::uint32_t>(message.stream - tables_->streams)
                            : static_cast<std::uint32_t>(RANKWISE_NO_STREAM);
  const rankwise_side side{.number = message.number,
                           .posted = message.posted,
                           .began = call.began,
                           .ended = call.ended,
                           .key = call.key,
                           .bytes = message.bytes,
                           .stream = stream,
                           .messages = call.messages,
                           .procedure = static_cast<std::uint16_t>(message.procedure),
                           .flags = message.flags,
                           .thread = static_cast<std::uint32_t>(thread_)};
  // (It may have left the sample since it was staged.)
  if (tables_->side_count() == most_sides || !is_in_sample(side)) return false;
  tables_->sides[tables_->side_count()] = side;
  counters_file::publish(tables_->side_section);
  return true;
}

void Streams::add_other(std::uint64_t number, const Waited &call) {
  std::uint16_t flags = RANKWISE_SIDE_UNCERTAIN;
  if (!take(number, call.began, flags) || tables_ == nullptr || process::paused) return;
  make_room();
  add_side({&unknown_, number, call.began, 0, Procedure::none, flags}, call);
}

// A message of an unknown stream is left out at random, like streams are.
std::uint64_t Streams::hash_of(const rankwise_side &side, Filter filter) const {
  if (filter == by_number) return scatter(side.number + 1);
  if (side.stream == static_cast<std::uint32_t>(RANKWISE_NO_STREAM)) return chain(side.number, filter);
  return tables_->hashes[filter - by_tag][side.stream];
}

bool Streams::is_in_sample(const rankwise_side &side) const {
  if (!is_by_number(side.number) && how_of(side.flags) == TimeSample::not_in_it) return false;
  for (const Filter filter : {by_tag, by_pair}) {
    if (hash_of(side, filter) > limits_[filter]) return false;
  }
  return true;
}

namespace {

// Selects the way to make the sample smaller. The ways are in the order of the information that they lose; the first
// that leaves about half of the sample is taken, or else the closest to that. A way that leaves everything does not
// count; if all do, returns the number of ways.
//
// RATIONALE: not simply the closest one. Half of a few pairs of processes is always half of the sample, but then all
// messages of some pair are lost, while half of the numbers leaves a part of everything.
template <std::size_t ways>
std::size_t way_to_half(const std::uint32_t (&left)[ways], std::uint32_t most) {
  const auto distance = [&](std::size_t way) {
    return left[way] * 2 > most ? left[way] * 2 - most : most - left[way] * 2;
  };
  std::size_t closest = ways;
  for (std::size_t way = 0; way < ways; ++way) {
    if (distance(way) * 2 <= most) return way;
    if (left[way] < most && (closest == ways || distance(way) < distance(closest))) closest = way;
  }
  return closest;
}

}  // namespace

// Makes room for the two messages of one call, before they are taken from where they wait: streams may move.
//
// The room is shared equally by the sample by number and the sample by time. (A message that leaves one of the two may
// stay in the other one; after some steps it is in none.)
void Streams::make_room() {
  if (tables_ == nullptr) return;
  for (unsigned step = 0; step < TimeSample::all && tables_->side_count() + 2 > most_sides; ++step) {
    std::uint32_t by_numbers = 0;
    for (std::uint32_t i = 0; i < tables_->side_count(); ++i) by_numbers += is_by_number(tables_->sides[i].number);
    if (by_numbers * 2 <= tables_->side_count()) {
      thin_times(by_numbers);
    } else {
      thin_numbers(by_numbers);
    }
  }
}

void Streams::thin_times(std::uint32_t by_numbers) {
  Tables &tables = *tables_;
  const TimeSample before = times_;
  const unsigned halved = record_->halved[by_number] < 32 ? record_->halved[by_number] : 32;
  times_.thin_out(first_, tables.sides[tables.side_count() - 1].posted, std::uint64_t{by_numbers} << halved);
  record_->stretch = static_cast<std::uint16_t>(times_.length());
  record_->period = static_cast<std::uint16_t>(times_.period());
  record_->renewed = static_cast<std::uint16_t>(times_.renewed());
  const auto change = [&](std::uint16_t &flags, std::uint64_t posted) {
    const int how = how_of(flags);
    if (how != TimeSample::not_in_it) set_how(flags, times_.still(how, posted, before));
  };
  for (std::uint32_t i = 0; i < tables.side_count(); ++i) change(tables.sides[i].flags, tables.sides[i].posted);
  for (std::uint32_t i = 0; i < tables.used_pending; ++i) {
    change(tables.pending[i].message.flags, tables.pending[i].message.posted);
  }
  for (std::uint32_t i = 0; i < staged_count_; ++i) change(staged_[i].flags, staged_[i].posted);
  compact_sides();
}

// By the numbers of messages, unless each stream has few, as if the program takes another tag each time. Then by tags,
// or, if these are few, by pairs of processes.
void Streams::thin_numbers(std::uint32_t count) {
  std::uint32_t left[filters] = {};
  for (std::uint32_t i = 0; i < tables_->side_count(); ++i) {
    if (!is_by_number(tables_->sides[i].number)) continue;
    for (const Filter filter : {by_number, by_tag, by_pair}) {
      left[filter] += hash_of(tables_->sides[i], filter) <= limits_[filter] / 2;
    }
  }
  const std::size_t way = way_to_half(left, count);
  // (All of them may have the same number, tag and pair, which is kept for long.)
  halve(way == filters ? by_number : static_cast<Filter>(way));
}

bool Streams::thin_streams() {
  std::uint32_t left[2] = {};
  for (const Filter filter : {by_tag, by_pair}) {
    for (std::uint32_t i = 0; i < most_streams; ++i) {
      left[filter - by_tag] += tables_->hashes[filter - by_tag][i] <= limits_[filter] / 2;
    }
  }
  const std::size_t way = way_to_half(left, most_streams);
  if (way == 2) return false;
  halve(static_cast<Filter>(by_tag + way));
  return true;
}

// Readers may come at any time: while rows move they see none.
void Streams::halve(Filter filter) {
  limits_[filter] /= 2;
  ++record_->halved[filter];
  compact_sides();
  if (filter != by_number) compact_streams();
}

void Streams::compact_sides() {
  const std::uint32_t count = tables_->side_count();
  const std::uint32_t finished = count - unfinished_;
  std::uint32_t kept = 0;
  __atomic_store_n(&tables_->side_section->used, 0, __ATOMIC_RELEASE);
  for (std::uint32_t i = 0; i < count; ++i) {
    const rankwise_side &side = tables_->sides[i];
    if (is_in_sample(side)) {
      tables_->sides[kept++] = side;
    } else if (i >= finished) {
      --unfinished_;
    }
  }
  __atomic_store_n(&tables_->side_section->used, kept, __ATOMIC_RELEASE);
}

// After the sides: only streams with sides remain.
void Streams::compact_streams() {
  Tables &tables = *tables_;
  const std::uint32_t count = tables.stream_count();
  std::uint16_t now[most_streams];
  std::uint32_t kept = 0;
  __atomic_store_n(&tables.stream_section->used, 0, __ATOMIC_RELEASE);
  for (std::uint16_t &entry : tables.index) entry = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    now[i] = most_streams;
    if (!in_sample(tables.hashes[0][i], tables.hashes[1][i])) continue;
    now[i] = static_cast<std::uint16_t>(kept);
    tables.streams[kept] = tables.streams[i];
    tables.hashes[0][kept] = tables.hashes[0][i];
    tables.hashes[1][kept] = tables.hashes[1][i];
    tables.enter(kept++);
  }
  for (std::uint32_t i = 0; i < tables.side_count(); ++i) {
    std::uint32_t &stream = tables.sides[i].stream;
    if (stream != static_cast<std::uint32_t>(RANKWISE_NO_STREAM)) stream = now[stream];
  }
  const auto move = [&](Message &message) {
    if (!tables.holds(message.stream)) return;
    const std::uint16_t place = now[message.stream - tables.streams];
    message.stream = place == most_streams ? &left_out_ : &tables.streams[place];
  };
  for (std::uint32_t i = 0; i < tables.used_pending; ++i) move(tables.pending[i].message);
  for (std::uint32_t i = 0; i < staged_count_; ++i) move(staged_[i]);
  forget_cache();
  __atomic_store_n(&tables.stream_section->used, kept, __ATOMIC_RELEASE);
}

void Streams::forget_cache() {
  ++generation_;
  for (Entry &entry : cache_) entry = {};
}

namespace operations {
namespace {

constexpr std::uint32_t most = 1U << 16;

std::uint32_t used = 0;
std::uint32_t unused = 0;
Lock lock;

}  // namespace

// (Memory that was never written takes no space.)
std::uint32_t add(const Operation &operation) {
  const Guard guard(lock);
  if (all == nullptr) all = static_cast<Operation *>(std::calloc(most, sizeof(Operation)));
  std::uint32_t number = unused;
  if (number != 0) {
    unused = at(number).next_unused;
  } else {
    if (all == nullptr || used + 1 == most) return 0;
    number = ++used;
  }
  at(number) = operation;
  return number;
}

void remove(std::uint32_t number) {
  if (number == 0) return;
  const Guard guard(lock);
  at(number).next_unused = unused;
  unused = number;
}

}  // namespace operations
}  // namespace rankwise::streams
