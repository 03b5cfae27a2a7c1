#include "windows.h"

#include "counters_file.h"

namespace rankwise::windows {
namespace {

std::uint32_t record_count = 0;

// Windows have a separate bound: a program that makes one in each of its steps must leave room for communicators.
//
// RATIONALE: a communicator's windows are counted even if one finds no room. Its other members may have room.
communicators::Entry enter(Procedure procedure, communicators::Communicator &parent) {
  communicators::Origin origin;
  origin.procedure = procedure;
  origin.letter = constructor_letter(procedure);
  origin.parent_id = parent.id;
  origin.parent_index = parent.index;
  origin.sequence = ++parent.windows;
  origin.flags = RANKWISE_COMMUNICATOR_WINDOW;
  communicators::Entry entry;
  // Threads that make windows of different communicators count together.
  if (__atomic_fetch_add(&record_count, 1, __ATOMIC_RELAXED) < RANKWISE_MOST_WINDOWS) {
    entry = communicators::enter(origin, parent.rank, parent.size, 0);
  } else {
    __atomic_fetch_sub(&record_count, 1, __ATOMIC_RELAXED);
  }
  if (entry.record != nullptr) return entry;
  counters_file::drop(RANKWISE_DROPPED_WINDOWS);
  return {parent.index, nullptr};
}

}  // namespace

void created(std::uint64_t handle, Procedure procedure, communicators::Communicator *parent) {
  const communicators::Entry entry = parent != nullptr ? enter(procedure, *parent) : communicators::Entry{};
  table.add(handle, [&](Window &window) {
    if (parent == nullptr) return;
    window.index = entry.index;
    window.record = entry.record;
    window.communicator = parent->index;
    window.size = parent->size;
    window.is_world = parent->is_world;
    window.arrivals = entry.record == nullptr || parent->size < 2 ? nullptr : &arrivals::nothing_yet;
  });
}

void passed(const Window &window, const Peers &peers, streams::Streams &streams, const Signals &signals,
            const streams::Waited &call) {
  for (int i = 0; i < peers.count; ++i) {
    const streams::Channel channel{window.index, static_cast<std::uint32_t>(peers.ranks[i]), signals.signal,
                                   signals.receives};
    const auto world = static_cast<std::uint32_t>(peers.ranks[peers.count + i]);
    streams.pass(channel, {window.record->id, world}, {nullptr, 0, signals.posted, 0, signals.procedure, signals.flags},
                 call);
  }
}

void freed(Window *window) {
  if (window->record != nullptr) communicators::note_freed(*window->record);
  table.drop(window);
}

}  // namespace rankwise::windows
