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

// Records by name, communicator and mode: open addressing, linear probing, never more than half full.
struct Entry {
  rankwise_file *record;
  std::uint32_t index;
};
constexpr std::uint64_t slots = std::uint64_t{2} * RANKWISE_MOST_FILES;
Entry entries[slots];

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

// What is most telling of a long path is its end.
void copy_name(rankwise_file &record, const char *name) {
  const std::size_t length = strlen(name);
  const std::size_t kept = length < sizeof record.name ? length : sizeof record.name;
  memcpy(record.name, name + (length - kept), kept);
  record.name_bytes = static_cast<std::uint32_t>(length);
}

// The record, made if there is none; nullptr if there is no room for it.
Entry *find(const char *name, std::uint32_t communicator, std::uint32_t mode) {
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
  entries[slot] = {record, RANKWISE_FIRST_FILE + record_count++};
  counters_file::publish(section);
  return &entries[slot];
}

std::uint32_t count_open(const char *name, std::uint32_t communicator, std::uint32_t mode) {
  const Guard guard(lock);
  const Entry *entry = find(name, communicator, mode);
  if (entry == nullptr) {
    counters_file::drop(RANKWISE_DROPPED_FILES);
    return RANKWISE_FILE_OTHER;
  }
  ++entry->record->opens;
  return entry->index;
}

}  // namespace

std::uint32_t opened(std::uint64_t handle, const char *name, std::uint32_t communicator, std::uint32_t mode) {
  const std::uint32_t index = count_open(name, communicator, mode);
  table.add(handle, [&](File &file) {
    file.index = index;
    file.communicator = communicator;
  });
  return index;
}

}  // namespace rankwise::files
