#include "communicators.h"

#include <cstdlib>
#include <new>

#include "clock.h"
#include "counters_file.h"
#include "hash.h"
#include "lock.h"

namespace rankwise::communicators {

// Starts at 1: a cache entry that was never filled holds 0.
std::uint64_t generation = 1;

namespace {

constexpr std::uint32_t first_records = 64;
constexpr std::uint32_t most_records_a_section = 4096;
// Beyond these, communicators share the "other" index; the bound leaves most of the file to the rows.
constexpr std::uint32_t most_records = 1U << 16;

Lock lock;

// Open addressing by handle, linear probing, at most half full.
Communicator **table = nullptr;
std::uint64_t mask = 0;
std::uint64_t alive = 0;
Communicator *unused = nullptr;

rankwise_section *section = nullptr;
std::uint32_t record_count = 0;

std::uint64_t slot_of(std::uint64_t handle) { return (scatter(handle) >> 32) & mask; }

bool make_room() {
  if (table != nullptr && alive * 2 < mask) return true;
  const std::uint64_t slots = table == nullptr ? 256 : (mask + 1) * 2;
  auto **larger = static_cast<Communicator **>(std::calloc(slots, sizeof(Communicator *)));
  if (larger == nullptr) return false;
  Communicator **old = table;
  const std::uint64_t old_slots = old == nullptr ? 0 : mask + 1;
  table = larger;
  mask = slots - 1;
  for (std::uint64_t i = 0; i < old_slots; ++i) {
    if (old[i] == nullptr) continue;
    std::uint64_t j = slot_of(old[i]->handle);
    while (table[j] != nullptr) j = (j + 1) & mask;
    table[j] = old[i];
  }
  std::free(old);
  return true;
}

// The slot that holds the handle, or the free one where it belongs.
std::uint64_t probe(std::uint64_t handle) {
  std::uint64_t i = slot_of(handle);
  while (table[i] != nullptr && table[i]->handle != handle) i = (i + 1) & mask;
  return i;
}

// Closes the gap that a removed entry leaves in its run.
void erase(std::uint64_t hole) {
  for (std::uint64_t i = hole;;) {
    i = (i + 1) & mask;
    if (table[i] == nullptr) break;
    if (((i - slot_of(table[i]->handle)) & mask) >= ((i - hole) & mask)) {
      table[hole] = table[i];
      hole = i;
    }
  }
  table[hole] = nullptr;
  --alive;
}

void release(Communicator *communicator) {
  std::free(communicator->world_ranks);
  if (communicator->neighbours != nullptr) std::free(communicator->neighbours->is_process);
  std::free(communicator->neighbours);
  *communicator = Communicator{};
  communicator->next_unused = unused;
  unused = communicator;
}

Communicator *allocate() {
  if (unused != nullptr) {
    Communicator *communicator = unused;
    unused = communicator->next_unused;
    communicator->next_unused = nullptr;
    return communicator;
  }
  void *memory = std::malloc(sizeof(Communicator));
  return memory == nullptr ? nullptr : new (memory) Communicator;
}

rankwise_communicator *new_record() {
  if (record_count >= most_records) return nullptr;
  if (section == nullptr || section->used == section->capacity) {
    std::uint32_t capacity = first_records;
    if (section != nullptr) {
      capacity = section->capacity < most_records_a_section ? section->capacity * 2 : section->capacity;
    }
    rankwise_section *next = counters_file::add_section(RANKWISE_SECTION_COMMUNICATORS, sizeof(rankwise_communicator),
                                                        capacity, RANKWISE_NO_THREAD, counters_file::Need::ordinary);
    if (next == nullptr) return nullptr;
    section = next;
  }
  return static_cast<rankwise_communicator *>(counters_file::records(section)) + section->used;
}

std::uint64_t identity(const Origin &origin) {
  std::uint64_t id = chain(0, static_cast<unsigned char>(origin.letter));
  id = chain(id, origin.parent_id);
  id = chain(id, origin.sequence);
  id = chain(id, static_cast<std::uint64_t>(origin.leader));
  id = chain(id, static_cast<std::uint64_t>(origin.tag));
  return chain(id, origin.group_hash);
}

}  // namespace

Communicator *find_in_table(std::uint64_t handle) {
  const Guard guard(lock);
  return table == nullptr ? nullptr : table[probe(handle)];
}

Communicator *add(std::uint64_t handle, const Origin &origin, int rank, int size, int remote_size) {
  const Guard guard(lock);
  if (!make_room()) return nullptr;
  Communicator *communicator = allocate();
  if (communicator == nullptr) return nullptr;
  communicator->handle = handle;
  communicator->id = identity(origin);
  communicator->rank = rank;
  communicator->size = size;
  communicator->remote_size = remote_size;
  communicator->inter = (origin.flags & RANKWISE_COMMUNICATOR_INTER) != 0;

  rankwise_communicator *record = new_record();
  communicator->record = record;
  if (record == nullptr) {
    counters_file::drop(RANKWISE_DROPPED_COMMUNICATORS);
  } else {
    record->id = communicator->id;
    record->parent_id = origin.parent_id;
    record->group_hash = origin.group_hash;
    record->created = clock::ticks();
    record->parent = origin.parent_index;
    record->sequence = origin.sequence;
    record->leader = origin.leader;
    record->tag = origin.tag;
    record->rank = rank;
    record->size = size;
    record->remote_size = remote_size;
    record->procedure = static_cast<std::uint16_t>(origin.procedure);
    record->flags = origin.flags;
    record->letter = origin.letter;
    communicator->index = RANKWISE_FIRST_COMMUNICATOR + record_count++;
    counters_file::publish(section);
  }

  // A handle that is still in the table was freed behind our back: the new meaning replaces the old.
  const std::uint64_t slot = probe(handle);
  if (table[slot] != nullptr) {
    release(table[slot]);
  } else {
    ++alive;
  }
  table[slot] = communicator;
  __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
  return communicator;
}

void remove(Communicator *communicator) {
  const Guard guard(lock);
  if (communicator->record != nullptr) {
    communicator->record->freed = clock::ticks();
    communicator->record->flags |= RANKWISE_COMMUNICATOR_FREED;
  }
  const std::uint64_t slot = probe(communicator->handle);
  if (table[slot] == communicator) erase(slot);
  release(communicator);
  __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
}

}  // namespace rankwise::communicators
