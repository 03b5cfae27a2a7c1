#include "communicators.h"

#include <cstdlib>

#include "clock.h"
#include "counters_file.h"
#include "hash.h"
#include "lock.h"
#include "logical.h"
#include "records.h"

namespace rankwise::communicators {

namespace {

constexpr std::uint32_t first_records = 16;
constexpr std::uint32_t most_records_a_section = 4096;

Lock entering;
rankwise_section *section = nullptr;
std::uint32_t record_count = 0;

constinit Records<rankwise_neighbour> neighbour_records(RANKWISE_SECTION_NEIGHBOURS, 256, 8192, 8);

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
  // Members may have opened different numbers of files: "a" and "./a" are one to MPI, and two to us.
  const bool by_path = (origin.flags & RANKWISE_COMMUNICATOR_FILE) != 0;
  std::uint64_t id = chain(0, static_cast<unsigned char>(origin.letter));
  id = chain(id, origin.parent_id);
  id = chain(id, by_path ? 0 : origin.sequence);
  id = chain(id, static_cast<std::uint64_t>(origin.leader));
  id = chain(id, static_cast<std::uint64_t>(origin.tag));
  return chain(id, origin.group_hash);
}

}  // namespace

void Communicator::release() {
  if (pending.exists) logical::settle(*this);
  std::free(world_ranks);
  if (neighbours != nullptr) {
    std::free(neighbours->is_process);
    std::free(neighbours->ranks);
  }
  std::free(neighbours);
  arrivals::release(arrivals);
}

Entry enter(const Origin &origin, int rank, int size, int remote_size) {
  // Communicators, windows and files may be made at the same time.
  const Guard guard(entering);
  rankwise_communicator *record = new_record();
  if (record == nullptr) return {};
  record->id = identity(origin);
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
  record->site = origin.site;
  const std::uint32_t index = RANKWISE_FIRST_COMMUNICATOR + record_count++;
  counters_file::publish(section);
  return {index, record};
}

void note_freed(rankwise_communicator &record) {
  record.freed = clock::ticks();
  record.flags |= RANKWISE_COMMUNICATOR_FREED;
}

void note_not_freed(rankwise_communicator &record) {
  record.freed = 0;
  record.flags = static_cast<std::uint16_t>(record.flags & ~RANKWISE_COMMUNICATOR_FREED);
}

Communicator *add(std::uint64_t handle, const Origin &origin, int rank, int size, int remote_size) {
  return table.add(handle, [&](Communicator &communicator) {
    communicator.id = identity(origin);
    communicator.rank = rank;
    communicator.size = size;
    communicator.remote_size = remote_size;
    communicator.inter = (origin.flags & RANKWISE_COMMUNICATOR_INTER) != 0;
    communicator.arrivals = communicator.inter || size < 2 ? nullptr : &arrivals::nothing_yet;
    const Entry entry = enter(origin, rank, size, remote_size);
    communicator.index = entry.index;
    communicator.record = entry.record;
    if (entry.record == nullptr) counters_file::drop(RANKWISE_DROPPED_COMMUNICATORS);
  });
}

void note_neighbours(const Communicator &communicator) {
  const Guard guard(entering);
  const Neighbours &to = *communicator.neighbours;
  for (int i = 0; i <= to.count; ++i) {
    if (i < to.count && !to.is_process[i]) continue;
    rankwise_neighbour *record = neighbour_records.next();
    if (record == nullptr) return;
    *record = {communicator.index, i < to.count ? to.ranks[i] : -1};
    neighbour_records.publish();
  }
}

void freed(Communicator *communicator) {
  if (communicator->record != nullptr) note_freed(*communicator->record);
  table.drop(communicator);
}

}  // namespace rankwise::communicators
