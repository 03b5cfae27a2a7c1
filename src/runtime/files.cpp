#include "files.h"

#include <cstring>

#include "counters_file.h"
#include "hash.h"
#include "lock.h"

namespace rankwise::files {
namespace {

constexpr std::uint32_t first_records = 32;

Lock lock;
rankwise_section *section = nullptr;
std::uint32_t record_count = 0;

// By name, communicator and mode: open addressing, linear probing, never more than half full.
constexpr std::uint64_t slots = std::uint64_t{2} * RANKWISE_MOST_FILES;
Opened entries[slots];

std::uint64_t hash_of(const char *name) {
  std::uint64_t hash = 0;
  for (const char *c = name; *c != '\0'; ++c) hash = chain(hash, static_cast<unsigned char>(*c));
  return hash;
}

rankwise_file *new_record() {
  if (record_count == RANKWISE_MOST_FILES) return nullptr;
  if (section == nullptr || section->used == section->capacity) {
    const std::uint32_t capacity = section == nullptr ? first_records : section->capacity * 2;
    rankwise_section *next = counters_file::add_section(RANKWISE_SECTION_FILES, sizeof(rankwise_file), capacity,
                                                        RANKWISE_NO_THREAD, counters_file::Need::ordinary);
    if (next == nullptr) return nullptr;
    section = next;
  }
  return static_cast<rankwise_file *>(counters_file::records(section)) + section->used;
}

// The most informative part of a long path is its end.
void copy_name(rankwise_file &record, const char *name) {
  const std::size_t length = strlen(name);
  const std::size_t kept = length < sizeof record.name ? length : sizeof record.name;
  memcpy(record.name, name + (length - kept), kept);
  record.name_bytes = static_cast<std::uint32_t>(length);
}

// The end of the path that fits.
void copy_path(rankwise_communicator &record, const char *name) {
  constexpr std::size_t most = sizeof record.user_name - 1;
  constexpr char cut[] = "\xe2\x80\xa6";  // an ellipsis
  const std::size_t length = strlen(name);
  if (length <= most) {
    memcpy(record.user_name, name, length);
    return;
  }
  const char *end = name + (length - (most - (sizeof cut - 1)));
  while ((static_cast<unsigned char>(*end) & 0xc0U) == 0x80) ++end;  // the cut may split a character
  memcpy(record.user_name, cut, sizeof cut - 1);
  memcpy(record.user_name + sizeof cut - 1, end, static_cast<std::size_t>(name + length - end));
}

// The record among the communicators; none if there is no room.
communicators::Entry enter(const rankwise_file &file, const char *name, communicators::Communicator &on) {
  communicators::Origin origin;
  origin.procedure = Procedure::MPI_File_open;
  origin.letter = 'f';
  origin.parent_id = on.id;
  origin.parent_index = on.index;
  origin.sequence = on.files;
  origin.group_hash = chain(file.name_hash, file.mode);
  origin.flags = RANKWISE_COMMUNICATOR_FILE;
  const communicators::Entry entry = communicators::enter(origin, on.rank, on.size, 0);
  if (entry.record != nullptr) copy_path(*entry.record, name);
  return entry;
}

// The file, entered if it is new; nullptr if there is no room for it.
Opened *find(const char *name, communicators::Communicator *on, std::uint32_t mode, bool may_have_rows) {
  const std::uint32_t communicator = on != nullptr ? on->index : RANKWISE_COMMUNICATOR_NONE;
  const std::uint64_t name_hash = hash_of(name);
  std::uint64_t slot = chain(chain(name_hash, communicator), mode) % slots;
  for (; entries[slot].record != nullptr; slot = (slot + 1) % slots) {
    const rankwise_file &record = *entries[slot].record;
    if (record.name_hash == name_hash && record.communicator == communicator && record.mode == mode) {
      return &entries[slot];
    }
  }
  rankwise_file *record = new_record();
  if (record == nullptr) return nullptr;
  record->name_hash = name_hash;
  record->communicator = communicator;
  record->mode = mode;
  copy_name(*record, name);
  Opened &found = entries[slot];
  found.record = record;
  found.index = RANKWISE_FIRST_FILE + record_count++;
  if (on != nullptr) {
    ++on->files;  // also for a file without room: other members may have it
    const communicators::Entry own = may_have_rows ? enter(*record, name, *on) : communicators::Entry{};
    found.own = own.record;
    found.own_index = own.index;
    found.arrivals = own.record == nullptr || on->size < 2 ? nullptr : &arrivals::nothing_yet;
    if (own.record != nullptr) record->own = own.index;
  }
  if (found.own == nullptr) counters_file::drop(RANKWISE_DROPPED_FILE_NAMES);
  counters_file::publish(section);
  return &found;
}

Opened *count_open(const char *name, communicators::Communicator *on, std::uint32_t mode, bool may_have_rows) {
  const Guard guard(lock);
  Opened *found = find(name, on, mode, may_have_rows);
  if (found == nullptr) {
    counters_file::drop(RANKWISE_DROPPED_FILES);
    return nullptr;
  }
  ++found->record->opens;
  ++found->handles;
  if (found->own != nullptr) communicators::note_not_freed(*found->own);
  return found;
}

}  // namespace

std::uint32_t opened(std::uint64_t handle, const char *name, communicators::Communicator *on, std::uint32_t mode,
                     bool may_have_rows) {
  Opened *found = count_open(name, on, mode, may_have_rows);
  table.add(handle, [&](File &file) {
    file.opened = found;
    if (on != nullptr) file.communicator = on->index;
    if (found == nullptr) return;
    file.index = found->index;
    if (found->own != nullptr) file.communicator = found->own_index;
  });
  return found != nullptr ? found->index : static_cast<std::uint32_t>(RANKWISE_FILE_OTHER);
}

void closed(File *file) {
  if (Opened *of = file->opened; of != nullptr) {
    const Guard guard(lock);
    if (--of->handles == 0 && of->own != nullptr) communicators::note_freed(*of->own);
  }
  table.drop(file);
}

}  // namespace rankwise::files
