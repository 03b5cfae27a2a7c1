// Reading the counters while they are being written.
#ifndef RANKWISE_INTROSPECTION_SECTIONS_H
#define RANKWISE_INTROSPECTION_SECTIONS_H

#include <cstdint>

#include "../runtime/counters_file.h"

namespace rankwise::introspection {

// Calls visit(section) for each section of a kind, with the records that it holds now.
template <class Visit>
void for_each_section(rankwise_section_kind kind, Visit visit) {
  const rankwise_header *head = counters_file::header();
  const auto *sections = reinterpret_cast<const rankwise_section *>(head + 1);
  const std::uint32_t count = __atomic_load_n(&head->section_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (sections[i].kind != static_cast<std::uint32_t>(kind)) continue;
    rankwise_section now = sections[i];
    now.used = __atomic_load_n(&sections[i].used, __ATOMIC_ACQUIRE);
    visit(now);
  }
}

// Calls visit(record) for each record of a kind.
template <class Record, class Visit>
void for_each_record(rankwise_section_kind kind, Visit visit) {
  for_each_section(kind, [&](const rankwise_section &section) {
    const auto *records = static_cast<const Record *>(counters_file::records(&section));
    for (std::uint32_t i = 0; i < section.used; ++i) visit(records[i]);
  });
}

// A counter that another thread may be adding to.
inline std::uint64_t now(const std::uint64_t &counter) { return __atomic_load_n(&counter, __ATOMIC_RELAXED); }

}  // namespace rankwise::introspection

#endif
