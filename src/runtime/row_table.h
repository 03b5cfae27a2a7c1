// Rows found by their key: dense in the counters file, with an index in private memory.
#ifndef RANKWISE_ROW_TABLE_H
#define RANKWISE_ROW_TABLE_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "counters_file.h"
#include "hash.h"

namespace rankwise {

// One thread's rows of one kind. Only that thread writes.
//
// RATIONALE: the index is separate from the rows so that the file stays dense: a rank with 50 rows touches one page of
// the file, and a reader reads 50 rows. The price is a second cache line a look-up.
template <class Record, rankwise_section_kind kind>
class RowTable {
 public:
  bool create(int thread) {
    thread_ = thread;
    return resize(first_index) && extend(counters_file::Need::ordinary);
  }

  bool exists() const { return section_ != nullptr; }

  // The row with this key, created if it is new; nullptr if there is no room for it.
  //
  // RATIONALE: the first probe is inlined into every wrapper, because nearly all find their row there.
  [[gnu::always_inline]] Record *row(std::uint64_t key, counters_file::Need need = counters_file::Need::ordinary) {
    Record *found = row_at_once(key);
    if (found != nullptr) [[likely]] {
      return found;
    }
    return search(key, need);
  }

  // The row if the first probe finds it, else nullptr.
  [[gnu::always_inline]] Record *row_at_once(std::uint64_t key) const {
    Record *candidate = index_[scatter(key) >> shift_];
    return candidate != nullptr && candidate->key == key ? candidate : nullptr;
  }

  // The same, nullptr if there is no such row.
  Record *find(std::uint64_t key) const {
    for (std::uint64_t i = scatter(key) >> shift_;; i = (i + 1) & mask_) {
      Record *candidate = index_[i];
      if (candidate == nullptr || candidate->key == key) return candidate;
    }
  }

  std::uint64_t size() const { return rows_; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < section_count_; ++i) {
      const auto *first = static_cast<const Record *>(counters_file::records(sections_[i]));
      for (std::uint32_t row = 0; row < sections_[i]->used; ++row) visit(first[row]);
    }
  }

 private:
  static constexpr unsigned first_index = 10;  // log2 of the slots of the index
  static constexpr std::uint32_t first_rows = 128;
  static constexpr std::uint32_t kept_rows = 32;  // for "other" rows, when the disk is full and no section can follow
  static constexpr std::uint32_t most_rows_a_section = 1U << 15;
  static constexpr std::size_t most_sections = 72;  // more than fit into a counters file

  [[gnu::noinline]] Record *search(std::uint64_t key, counters_file::Need need) {
    Record *found = find(key);
    return found != nullptr ? found : add(key, need);
  }

  Record *add(std::uint64_t key, counters_file::Need need) {
    if (!has_room(need)) return nullptr;
    Record *record = static_cast<Record *>(counters_file::records(section_)) + section_->used;
    record->key = key;
    counters_file::publish(section_);
    insert(record);
    ++rows_;
    return record;
  }

  // Whether one more row has a place. Once the disk or the memory was full, the system is not asked again: that would
  // be a system call for every call of the program. Then the index may get crowded, for the last few rows.
  bool has_room(counters_file::Need need) {
    if (need == counters_file::Need::must) {
      if (rows_ * 8 > mask_ * 7) return false;
      return section_->used < section_->capacity || extend(need);
    }
    full_ = full_ || (rows_ * 2 > mask_ && !resize(64 - shift_ + 1)) ||
            (section_->used + kept_rows >= section_->capacity && !extend(need));
    return !full_;
  }

  bool extend(counters_file::Need need) {
    if (section_count_ == most_sections) return false;
    const std::uint32_t capacity =
        section_ == nullptr ? first_rows
                            : (section_->capacity < most_rows_a_section ? section_->capacity * 2 : most_rows_a_section);
    rankwise_section *section = counters_file::add_section(kind, sizeof(Record), capacity, thread_, need);
    if (section == nullptr) return false;
    section_ = section;
    sections_[section_count_++] = section;
    return true;
  }

  bool resize(unsigned bits) {
    auto **index = static_cast<Record **>(std::calloc(std::size_t{1} << bits, sizeof(Record *)));
    if (index == nullptr) return false;
    Record **old = index_;
    const std::uint64_t old_slots = old == nullptr ? 0 : mask_ + 1;
    index_ = index;
    mask_ = (std::uint64_t{1} << bits) - 1;
    shift_ = 64 - bits;
    for (std::uint64_t i = 0; i < old_slots; ++i) {
      if (old[i] != nullptr) insert(old[i]);
    }
    std::free(old);
    return true;
  }

  void insert(Record *record) {
    std::uint64_t i = scatter(record->key) >> shift_;
    while (index_[i] != nullptr) i = (i + 1) & mask_;
    index_[i] = record;
  }

  Record **index_ = nullptr;
  std::uint64_t mask_ = 0;
  unsigned shift_ = 64;
  std::uint64_t rows_ = 0;
  bool full_ = false;
  rankwise_section *section_ = nullptr;  // the latest
  std::size_t section_count_ = 0;
  rankwise_section *sections_[most_sections] = {};
  int thread_ = 0;
};

using CallRows = RowTable<rankwise_calls, RANKWISE_SECTION_CALLS>;
using MessageRows = RowTable<rankwise_messages, RANKWISE_SECTION_MESSAGES>;
using AccessRows = RowTable<rankwise_accesses, RANKWISE_SECTION_ACCESSES>;

}  // namespace rankwise

#endif
