#include "arrivals.h"

#include <cstdlib>
#include <new>

#include "counters_file.h"
#include "lock.h"
#include "records.h"
#include "regions.h"

namespace rankwise::arrivals {

constinit OfCommunicator nothing_yet;

namespace {

constexpr std::uint32_t first_tables = 32;
constexpr std::uint32_t rows_a_section = RANKWISE_ARRIVALS_A_SECTION;

// Of the tables of all communicators.
Lock making;
constinit Records<rankwise_arrival_table> records(RANKWISE_SECTION_ARRIVAL_TABLES, first_tables,
                                                  RANKWISE_MOST_ARRIVAL_TABLES / 2, 5);
std::uint32_t table_count = 0;

rankwise_arrival &row(const Table &table, std::uint32_t i) {
  return static_cast<rankwise_arrival *>(
      counters_file::records(table.sections[i / rows_a_section]))[i % rows_a_section];
}

// False if a table has all the room that there is.
bool extend(Table &table) {
  const std::uint32_t sections = table.capacity / rows_a_section;
  if (sections == RANKWISE_MOST_ARRIVAL_SECTIONS) return false;
  rankwise_section *section =
      counters_file::add_section(RANKWISE_SECTION_ARRIVALS, sizeof(rankwise_arrival), rows_a_section,
                                 RANKWISE_NO_THREAD, counters_file::Need::ordinary);
  if (section == nullptr) return false;
  table.sections[sections] = section;
  table.capacity += rows_a_section;
  return true;
}

bool is_kept(const Table &table, std::uint64_t instance) { return (mixed(instance) & table.mask) == 0; }

void drop(Table &table, std::uint32_t i) {
  __atomic_store_n(&row(table, i).instance, 0, __ATOMIC_RELEASE);
  --table.kept;
}

Longest::Kept &shortest(Longest &longest) {
  Longest::Kept *found = &longest.of[0];
  for (std::uint32_t i = 1; i < longest.count; ++i) {
    if (longest.of[i].step < found->step) found = &longest.of[i];
  }
  return *found;
}

// Makes room for one more of the longest; false if its step is too short.
bool make_room(Table &table, std::uint64_t step) {
  if (table.longest == nullptr) return false;
  Longest &longest = *table.longest;
  if (longest.count < RANKWISE_MOST_LONG_ARRIVALS) return true;
  Longest::Kept &least = shortest(longest);
  if (step <= least.step) return false;
  drop(table, least.row);
  least = longest.of[--longest.count];
  return true;
}

void add_long(Table &table, std::uint64_t step, std::uint32_t i) {
  Longest &longest = *table.longest;
  longest.of[longest.count++] = {step, i};
  table.least_long = longest.count == RANKWISE_MOST_LONG_ARRIVALS ? shortest(longest).step : 0;
}

// Halves the sample, about, and keeps the longest of what leaves it. A reader goes by the shift, so what has not gone
// yet does no harm.
void thin_out(Table &table) {
  if (table.longest == nullptr) {
    if (void *memory = std::malloc(sizeof(Longest))) table.longest = new (memory) Longest;
  }
  const Table before = table;
  table.mask = table.mask << 1 | 1;
  ++table.record->shift;
  for (std::uint32_t i = 0; i < table.capacity; ++i) {
    const rankwise_arrival &one = row(table, i);
    if (one.instance == 0 || is_kept(table, one.instance) || !is_kept(before, one.instance)) continue;
    // (Of the step before that nothing is known any more.)
    const std::uint64_t step = one.since + clock::elapsed(one.arrived, one.left);
    if (make_room(table, step)) {
      add_long(table, step, i);
    } else {
      drop(table, i);
    }
  }
  table.free = 0;
}

// A row that is free.
std::uint32_t free_row(Table &table) {
  // (Of those in use at least some have a hash with one more bit: the loop ends.)
  while (table.kept == table.capacity && !extend(table)) thin_out(table);
  std::uint32_t i = table.free;
  while (row(table, i).instance != 0) i = (i + 1) % table.capacity;
  table.free = (i + 1) % table.capacity;
  rankwise_section *section = table.sections[i / rows_a_section];
  if (i % rows_a_section >= section->used) counters_file::publish(section);
  return i;
}

void keep(rankwise_arrival &free, const OfCommunicator &of, Table &table, const Thread &thread, const Call &call,
          std::uint64_t instance) {
  const bool has_before = of.thread == &thread && of.left != 0;
  free.arrived = call.start;
  free.left = call.stop;
  free.since = has_before ? clock::elapsed(of.left, call.start) : 0;
  free.since_in_mpi = has_before ? clock::elapsed(of.in_mpi, thread.in_mpi) : 0;
  free.left_key = call.left_key;
  free.bytes = call.bytes;
  free.root = call.root;
  free.table = static_cast<std::uint16_t>(table.index);
  free.region = static_cast<std::uint16_t>(regions::current);
  ++table.kept;
  __atomic_store_n(&free.instance, instance, __ATOMIC_RELEASE);
}

}  // namespace

Table *make(communicators::Communicator &communicator, Procedure procedure) {
  if (communicator.arrivals == &nothing_yet) {
    void *memory = std::malloc(sizeof(OfCommunicator));
    if (memory == nullptr) return nullptr;
    communicator.arrivals = new (memory) OfCommunicator;
  }
  void *memory = std::malloc(sizeof(Table));
  if (memory == nullptr) return nullptr;
  auto *table = new (memory) Table;
  communicator.arrivals->tables[number_of(procedure)] = table;
  const Guard guard(making, threads::several);
  rankwise_arrival_table *record =
      communicator.record != nullptr && table_count < RANKWISE_MOST_ARRIVAL_TABLES ? records.next() : nullptr;
  // RATIONALE: not in `dropped`, for nothing is lost but a part of a sample. The reader tells the time of such calls
  // apart.
  if (record == nullptr || !extend(*table)) {
    table->mask = ~0ULL;
    return table;
  }
  record->communicator = communicator.index;
  record->procedure = static_cast<std::uint16_t>(procedure);
  record->traits = table->traits = RANKWISE_TRAITS_KNOWN;
  records.publish();
  table->record = record;
  table->index = table_count++;
  return table;
}

void reach(const OfCommunicator &of, Table &table, const Thread &thread, const Call &call) {
  const std::uint64_t instance = table.next;
  if (call.kept && table.record != nullptr && is_kept(table, instance)) {
    rankwise_arrival &free = row(table, free_row(table));
    // (The sample may have been thinned out for it.)
    if (is_kept(table, instance)) keep(free, of, table, thread, call, instance);
  } else if (step(of, call.stop) > table.least_long) {
    keep_long(of, table, thread, call);
  }
  // Not farther than takes a moment.
  constexpr std::uint64_t farthest = 256;
  do {
    ++table.next;
  } while (!is_kept(table, table.next) && table.next < instance + farthest);
  table.remaining = table.next - instance;
}

void keep_long(const OfCommunicator &of, Table &table, const Thread &thread, const Call &call) {
  const std::uint64_t instance = table.next - table.remaining, length = step(of, call.stop);
  // (What began in another thread has no step.)
  if (!call.kept || table.record == nullptr || of.thread != &thread || !make_room(table, length)) return;
  const std::uint32_t i = free_row(table);
  // (The sample may have been thinned out for it, so that there are more of them.)
  if (!make_room(table, length)) return;
  keep(row(table, i), of, table, thread, call, instance);
  add_long(table, length, i);
}

void add(Table &table, std::uint64_t traits) {
  table.traits |= traits;
  __atomic_store_n(&table.record->traits, table.traits, __ATOMIC_RELAXED);
}

void release(OfCommunicator *of) {
  if (of == nullptr || of == &nothing_yet) return;
  for (Table *table : of->tables) {
    if (table != nullptr) std::free(table->longest);
    std::free(table);
  }
  std::free(of);
}

}  // namespace rankwise::arrivals
