#include "traffic.h"

#include <climits>
#include <cstdlib>

#include "../runtime/counters_file.h"

namespace rankwise::introspection {

struct Traffic::Report {
  std::int32_t sees;
  std::int32_t entries_sent;  // that are not zero
  std::int32_t entries_asked;

  std::int32_t entries(bool sent) const { return sent ? entries_sent : entries_asked; }
};

struct Traffic::Entry {
  std::uint64_t bytes;
  std::uint64_t messages;
  std::int32_t to;
  std::int32_t reserved;
};

namespace {

template <class T>
T *allocate(std::size_t count) {
  return static_cast<T *>(std::calloc(count + 1, sizeof(T)));
}

// Whether this process sees all messages that its MPI library sends inside collectives.
bool sees_inside() {
  const rankwise_header *head = counters_file::header();
  constexpr std::uint32_t all = RANKWISE_SEES_BETWEEN_NODES | RANKWISE_SEES_WITHIN_NODE;
  return head->transport_state == RANKWISE_TRANSPORT_ACTIVE && (head->transport_sees & all) == all;
}

std::int32_t entries_of(const Rows &rows) {
  std::int32_t entries = 0;
  for (int i = 0; i < rows.members(); ++i) entries += rows.counts()[i].bytes != 0 ? 1 : 0;
  return entries;
}

}  // namespace

Traffic::~Traffic() {
  std::free(entries_);
  std::free(counts_);
  std::free(source_);
  std::free(destination_);
  std::free(bytes_);
  std::free(messages_);
}

Error Traffic::gather(const Members &members, const Rows &sent, const Rows &asked) {
  Report *reports = allocate<Report>(static_cast<std::size_t>(members.size()));
  if (reports == nullptr) return internal_fail;
  const Report own{sees_inside() ? 1 : 0, entries_of(sent), entries_of(asked)};
  Error error = mpit_fail;
  if (mpi->all_gather(members.copy(), &own, sizeof own, reports)) {
    bool all_see = true;
    for (int i = 0; i < members.size(); ++i) all_see = all_see && reports[i].sees != 0;
    error = gather_entries(members, all_see ? sent : asked, reports, all_see);
  }
  std::free(reports);
  return error;
}

// On rank 0: whether the entries of all processes fit in memory.
bool Traffic::make_room(const Report *reports, bool sent, int members) {
  const auto n = static_cast<std::size_t>(members);
  counts_ = allocate<int>(2 * n);
  if (counts_ == nullptr) return false;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < n && total <= INT_MAX; ++i) {
    counts_[i] = reports[i].entries(sent);
    counts_[n + i] = static_cast<int>(total);
    total += counts_[i];
  }
  if (total > INT_MAX) return false;
  const auto all = static_cast<std::size_t>(total);
  entries_ = allocate<Entry>(all);
  source_ = allocate<std::int32_t>(all);
  destination_ = allocate<std::int32_t>(all);
  bytes_ = allocate<double>(all);
  messages_ = allocate<double>(all);
  traffic_ = {members, total, source_, destination_, bytes_, nullptr};
  return entries_ != nullptr && source_ != nullptr && destination_ != nullptr && bytes_ != nullptr &&
         messages_ != nullptr;
}

Error Traffic::gather_entries(const Members &members, const Rows &rows, const Report *reports, bool sent) {
  const bool is_root = members.rank() == 0;
  Entry *own = allocate<Entry>(static_cast<std::size_t>(reports[members.rank()].entries(sent)));
  bool ready = is_root && make_room(reports, sent, members.size());
  if (!mpi->broadcast(members.copy(), 0, &ready, sizeof ready)) {
    std::free(own);
    return mpit_fail;
  }
  if (!ready || own == nullptr) {
    std::free(own);
    return internal_fail;
  }
  int count = 0;
  for (int i = 0; i < rows.members(); ++i) {
    const Count &row = rows.counts()[i];
    if (row.bytes != 0) own[count++] = {row.bytes, row.messages, i, 0};
  }
  const int *places = is_root ? counts_ + members.size() : nullptr;
  const bool done = mpi->gather_records(members.copy(), 0, sizeof(Entry), own, count, entries_, counts_, places);
  std::free(own);
  if (!done) return mpit_fail;
  if (is_root) take(members.size());
  return success;
}

void Traffic::take(int members) {
  std::size_t k = 0;
  for (int from = 0; from < members; ++from) {
    for (int i = 0; i < counts_[from]; ++i, ++k) {
      source_[k] = from;
      destination_[k] = entries_[k].to;
      bytes_[k] = static_cast<double>(entries_[k].bytes);
      messages_[k] = static_cast<double>(entries_[k].messages);
    }
  }
  whole_ = true;
}

}  // namespace rankwise::introspection
