// The mapped file behind all counters: creation, growth by sections. Layout: format.h.
#ifndef RANKWISE_COUNTERS_FILE_H
#define RANKWISE_COUNTERS_FILE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "format.h"

namespace rankwise::counters_file {

// Creates the file `<host>.<pid>.<time>.counters` in the memory of the node, and its header. Returns nullptr, or the
// reason for a failure. A keeper saves it in the run directory. The space is reserved, so that memory that fills up
// later can't kill the program.
const char *create(const char *run_directory);

// The same in private memory: for a program that queries its own counters while they are not saved.
const char *create_in_memory();

// The mapped header; valid after create() or create_in_memory() and to the end of the process.
rankwise_header *header();

// How hard to try: the last part of the file is reserved for rows that must find a place ("other" rows).
enum class Need { ordinary, must };

// A new section of `capacity` records, all zero, or nullptr if the file has reached its bound or the disk is full.
rankwise_section *add_section(rankwise_section_kind kind, std::size_t record_bytes, std::uint32_t capacity, int thread,
                              Need need);

// The first record of a section.
void *records(const rankwise_section *section);

// A section of the whole process with these records, if there is room and there are any; returns their new address, or
// null.
template <typename Record>
Record *add_records(rankwise_section_kind kind, const Record *all, std::uint32_t count) {
  if (count == 0) return nullptr;
  rankwise_section *section = add_section(kind, sizeof *all, count, RANKWISE_NO_THREAD, Need::ordinary);
  if (section == nullptr) return nullptr;
  memcpy(records(section), all, count * sizeof *all);
  __atomic_store_n(&section->used, count, __ATOMIC_RELEASE);
  return static_cast<Record *>(records(section));
}

// MPI_Finalize has returned, and, after that, another session has been opened.
void leave();
void enter_again();

// In a child that the process has forked: all further writes stay in the child's memory, and the file, which belongs to
// the parent, never grows from here.
void keep_apart();

// Makes the record that was just written visible to readers.
inline void publish(rankwise_section *section) {
  __atomic_store_n(&section->used, section->used + 1, __ATOMIC_RELEASE);
}

// The place of a further record in a section that grows by new ones, to be filled in and published; nullptr if there is
// no room.
template <class Record>
Record *next_record(rankwise_section *&section, rankwise_section_kind kind, std::uint32_t first) {
  if (section == nullptr || section->used == section->capacity) {
    const std::uint32_t capacity = section == nullptr ? first : section->capacity * 2;
    rankwise_section *next = add_section(kind, sizeof(Record), capacity, RANKWISE_NO_THREAD, Need::ordinary);
    if (next == nullptr) return nullptr;
    section = next;
  }
  return static_cast<Record *>(records(section)) + section->used;
}

// Counts data that could not be recorded.
inline void drop(rankwise_dropped what, std::uint64_t count = 1) {
  __atomic_fetch_add(&header()->dropped[what], count, __ATOMIC_RELAXED);
}
inline void take_back(rankwise_dropped what) { __atomic_fetch_sub(&header()->dropped[what], 1, __ATOMIC_RELAXED); }

}  // namespace rankwise::counters_file

#endif
