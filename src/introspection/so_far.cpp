#include "so_far.h"

#include <cstring>

#include "../runtime/clock.h"
#include "../runtime/keys.h"
#include "members.h"
#include "sections.h"
#include "sessions.h"

namespace rankwise::introspection {
namespace {

// The requested procedures.
struct Asked {
  Procedure procedure = Procedure::none;
  bool collectives = false;
  bool all = false;

  // False if there is no such procedure.
  bool understand(const char *name) {
    if (name == nullptr) return false;
    all = strcmp(name, "*") == 0;
    collectives = strcmp(name, "collective") == 0;
    if (all || collectives) return true;
    for (int i = 1; i < procedure_count; ++i) {
      const char *known = procedure_facts[i].name;
      if (*known != '\0' && strcmp(known, name) == 0) procedure = static_cast<Procedure>(i);
    }
    return procedure != Procedure::none;
  }

  bool covers(Procedure other) const {
    return all || (collectives ? procedure_facts[static_cast<int>(other)].collective : other == procedure);
  }
};

// The communicator to which an index counts: windows and files count to the communicator that they were made from.
std::uint32_t communicator_of(std::uint32_t index) {
  std::uint32_t first = RANKWISE_FIRST_COMMUNICATOR;
  std::uint32_t parent = index;
  for_each_section(RANKWISE_SECTION_COMMUNICATORS, [&](const rankwise_section &section) {
    if (index >= first && index - first < section.used) {
      const auto &record = static_cast<const rankwise_communicator *>(counters_file::records(&section))[index - first];
      if ((record.flags & (RANKWISE_COMMUNICATOR_WINDOW | RANKWISE_COMMUNICATOR_FILE)) != 0) parent = record.parent;
    }
    first += section.used;
  });
  return parent;
}

}  // namespace

double tick_seconds() {
  const rankwise_stamp from = counters_file::header()->loaded;
  const rankwise_stamp to = clock::stamp();
  const std::uint64_t ticks = clock::elapsed(from.ticks, to.ticks);
  return ticks == 0 ? 0 : static_cast<double>(to.monotonic_ns - from.monotonic_ns) * 1e-9 / static_cast<double>(ticks);
}

std::uint64_t ticks_in_mpi() {
  std::uint64_t ticks = 0;
  for_each_record<rankwise_calls>(RANKWISE_SECTION_CALLS, [&](const rankwise_calls &row) { ticks += now(row.ticks); });
  return ticks;
}

Error so_far(Handle comm, const char *procedure, SoFar *totals) {
  if (!is_open()) return missing_init;
  Asked asked;
  if (!asked.understand(procedure)) return invalid_procedure;
  const communicators::Communicator *communicator = mpi->known(comm);
  if (communicator == nullptr) return mpit_fail;
  // Without a separate record it shares a record with others.
  if (communicator->index < RANKWISE_FIRST_COMMUNICATOR) return internal_fail;
  *totals = {};
  std::uint64_t ticks = 0;
  for_each_record<rankwise_calls>(RANKWISE_SECTION_CALLS, [&](const rankwise_calls &row) {
    if (!asked.covers(keys::procedure(row.key))) return;
    if (communicator_of(keys::communicator(row.key)) != communicator->index) return;
    ticks += now(row.ticks);
    totals->calls += now(row.calls);
    totals->bytes_sent += now(row.bytes_sent);
    totals->bytes_received += now(row.bytes_received);
  });
  totals->seconds = static_cast<double>(ticks) * tick_seconds();
  return success;
}

}  // namespace rankwise::introspection
