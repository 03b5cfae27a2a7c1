// Records of one kind that the process as a whole keeps, in the order in which they come.
#ifndef RANKWISE_RECORDS_H
#define RANKWISE_RECORDS_H

#include <cstdint>

#include "counters_file.h"

namespace rankwise {

// Dense in sections that double up to a bound; the number of sections is bounded, too.
template <class Record>
class Records {
 public:
  constexpr Records(rankwise_section_kind kind, std::uint32_t first, std::uint32_t most, std::uint32_t sections)
      : kind_(kind), capacity_(first), most_(most), sections_left_(sections) {}

  // A new one, to be filled in and then published; nullptr if there is no room.
  Record *next() {
    if (section_ == nullptr || section_->used == section_->capacity) {
      if (sections_left_ == 0) return nullptr;
      rankwise_section *section = counters_file::add_section(kind_, sizeof(Record), capacity_, RANKWISE_NO_THREAD,
                                                             counters_file::Need::ordinary);
      // A full disk is tried only once.
      sections_left_ = section == nullptr ? 0 : sections_left_ - 1;
      if (section == nullptr) return nullptr;
      section_ = section;
      capacity_ = capacity_ * 2 < most_ ? capacity_ * 2 : most_;
    }
    return static_cast<Record *>(counters_file::records(section_)) + section_->used;
  }
  void publish() { counters_file::publish(section_); }

 private:
  rankwise_section_kind kind_;
  std::uint32_t capacity_;
  std::uint32_t most_;
  std::uint32_t sections_left_;
  rankwise_section *section_ = nullptr;
};

}  // namespace rankwise

#endif
