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

// Protects the tables of all communicators.
Lock making;
constinit Records<rankwise_arrival_table> records(RANKWISE_SECTION_ARRIVAL_TABLES, first_tables,
                                                  RANKWISE_MOST_ARRIVAL_TABLES / 2, 5);
std::uint32_t table_count = 0;

// Collectives in the sample that were posted, and have not completed. If there is no room for one more, it is left out.
struct Posted {
  Table *table;  // nullptr = free
  std::uint64_t handle;
  rankwise_arrival row;  // for calls that have tested it: from `entered` to `left`, `asked` inside them
};
constinit Posted under_way[RANKWISE_MOST_POSTED_ARRIVALS] = {};
Posted *latest_asked = under_way;

// The entry with this handle, or nullptr.
Posted *find_posted(std::uint64_t handle) {
  if (latest_asked->table != nullptr && latest_asked->handle == handle) return latest_asked;
  for (Posted &one : under_way) {
    if (one.table != nullptr && one.handle == handle) return latest_asked = &one;
  }
  return nullptr;
}

// Whether a call continues a series of tests. Computation between tests is no waiting. So if a process computes for
// much longer than it tests, only the latest tests count.
bool goes_on(const rankwise_arrival &row, std::uint64_t start) {
  constexpr std::uint64_t longest_pause = 64;  // times the time spent testing
  return row.entered != 0 && clock::elapsed(row.left, start) <= longest_pause * row.asked;
}

rankwise_arrival &row(const Table &table, std::uint32_t i) {
  return static_cast<rankwise_arrival *>(
      counters_file::records(table.sections[i / rows_a_section]))[i % rows_a_section];
}

// False if a table already has its maximum size.
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

// RATIONALE: among neighbours lateness spreads by one rank per call, so the late rank is visible only if the previous
// call is kept, too.
bool is_kept(const Table &table, std::uint64_t instance) {
  return (mixed(table.in_pairs ? (instance + 1) / 2 : instance) & table.mask) == 0;
}

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

// Halves the sample, approximately, and keeps the longest of the removed instances. A reader filters by the shift, so
// instances that are not removed yet do no harm.
void thin_out(Table &table) {
  if (table.longest == nullptr && !table.is_posted) {
    if (void *memory = std::malloc(sizeof(Longest))) table.longest = new (memory) Longest;
  }
  const Table before = table;
  table.mask = table.mask << 1 | 1;
  ++table.record->shift;
  for (std::uint32_t i = 0; i < table.capacity; ++i) {
    const rankwise_arrival &one = row(table, i);
    if (one.instance == 0 || is_kept(table, one.instance) || !is_kept(before, one.instance)) continue;
    // (Nothing is known any more of the step before that.)
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
  // (At least some used rows have a hash with one more bit: the loop ends.)
  while (table.kept == table.capacity && !extend(table)) thin_out(table);
  std::uint32_t i = table.free;
  while (row(table, i).instance != 0) i = (i + 1) % table.capacity;
  table.free = (i + 1) % table.capacity;
  rankwise_section *section = table.sections[i / rows_a_section];
  if (i % rows_a_section >= section->used) counters_file::publish(section);
  return i;
}

void fill(rankwise_arrival &free, const OfCommunicator &of, const Table &table, const Thread &thread,
          const Call &call) {
  const bool after_posted = table.is_posted && of.posted > of.left;
  const std::uint64_t left = after_posted ? of.posted : of.left;
  const std::uint64_t in_mpi = after_posted ? of.posted_in_mpi : of.in_mpi;
  const bool has_before = (after_posted ? of.posted_by : of.thread) == &thread && left != 0;
  free.arrived = call.start;
  free.left = call.stop;
  free.entered = 0;
  free.asked = 0;
  free.since = has_before ? clock::elapsed(left, call.start) : 0;
  free.since_in_mpi = has_before ? clock::elapsed(in_mpi, thread.in_mpi) : 0;
  free.left_key = call.left_key;
  free.bytes = call.bytes;
  free.root = call.root;
  free.table = static_cast<std::uint16_t>(table.index);
  free.region = static_cast<std::uint16_t>(regions::current);
}

void keep(rankwise_arrival &free, const OfCommunicator &of, Table &table, const Thread &thread, const Call &call,
          std::uint64_t instance) {
  fill(free, of, table, thread, call);
  ++table.kept;
  __atomic_store_n(&free.instance, instance, __ATOMIC_RELEASE);
}

// Advances to the next instance that is kept, but takes only a moment for it.
void go_on(Table &table) {
  constexpr std::uint64_t farthest = 256;
  const std::uint64_t instance = table.next;
  do {
    ++table.next;
  } while (!is_kept(table, table.next) && table.next < instance + farthest);
  table.remaining = table.next - instance;
}

}  // namespace

Table *make(Place place, Procedure procedure, int number) {
  if (place.of == &nothing_yet) {
    void *memory = std::malloc(sizeof(OfCommunicator));
    if (memory == nullptr) return nullptr;
    place.of = new (memory) OfCommunicator;
  }
  void *memory = std::malloc(sizeof(Table));
  if (memory == nullptr) return nullptr;
  auto *table = new (memory) Table;
  table->is_posted = number_of_posted(procedure) != none;
  table->in_pairs = is_among_neighbours(number);
  place.of->tables[number] = table;
  const Guard guard(making, threads::several);
  rankwise_arrival_table *record =
      place.has_record && table_count < RANKWISE_MOST_ARRIVAL_TABLES ? records.next() : nullptr;
  // RATIONALE: not in `dropped`, because only a part of a sample is lost. The reader distinguishes the time of such
  // calls.
  if (record == nullptr || !extend(*table)) {
    table->mask = ~0ULL;
    return table;
  }
  record->communicator = place.index;
  record->procedure = static_cast<std::uint16_t>(procedure);
  // (Traits of other procedures are not needed.)
  if (number < number_of(Procedure::MPI_Win_fence)) record->traits = table->traits = RANKWISE_TRAITS_KNOWN;
  records.publish();
  table->record = record;
  table->index = table_count++;
  return table;
}

void reach(const OfCommunicator &of, Table &table, const Thread &thread, const Call &call) {
  const std::uint64_t instance = table.next;
  if (call.kept && table.record != nullptr && is_kept(table, instance)) {
    rankwise_arrival &free = row(table, free_row(table));
    // (Making room may have thinned out the sample.)
    if (is_kept(table, instance)) keep(free, of, table, thread, call, instance);
  } else if (step(of, call.stop) > table.least_long) {
    keep_long(of, table, thread, call);
  }
  go_on(table);
}

namespace {

// Remembers a collective that was posted; false if it is not in the sample, or there is no room.
bool expect(const OfCommunicator &of, Table &table, const Thread &thread, const Call &call, std::uint64_t handle,
            std::uint64_t instance) {
  if (!call.kept || table.record == nullptr || !is_kept(table, instance)) return false;
  const Guard guard(making, threads::several);
  Posted *free = nullptr;
  for (Posted &one : under_way) {
    // (Its completion was not seen.)
    if (one.table != nullptr && one.handle == handle) one.table = nullptr;
    if (one.table == nullptr) free = &one;
  }
  if (free == nullptr) return false;
  free->table = &table;
  free->handle = handle;
  fill(free->row, of, table, thread, call);
  free->row.instance = instance;
  return true;
}

}  // namespace

bool reach_posted(const OfCommunicator &of, Table &table, const Thread &thread, const Call &call,
                  std::uint64_t handle) {
  const std::uint64_t instance = table.next;
  go_on(table);
  return expect(of, table, thread, call, handle, instance);
}

std::uint32_t initialised(communicators::Communicator &communicator, Procedure procedure, std::uint64_t bytes,
                          int root) {
  const int number = number_of_posted(procedure);
  if (communicator.arrivals == nullptr) return 0;
  Table *table = communicator.arrivals->tables[number];
  if (table == nullptr) table = make(place_of(communicator), procedure, number);
  if (table == nullptr) return 0;
  streams::operations::Operation operation{};
  operation.channel = {communicator.index, static_cast<std::uint32_t>(root), 0, false};
  operation.procedure = procedure;
  operation.bytes = bytes;
  operation.communicator = &communicator;
  operation.latest = std::uint64_t{++table->initialised} << 32;
  return streams::operations::add(operation);
}

bool started(streams::operations::Operation &operation, const Thread &thread, Call call, std::uint64_t handle) {
  const communicators::Communicator &communicator = *operation.communicator;
  // (Freed in the meantime. Another one may have its place.)
  if (communicator.index != operation.channel.communicator || communicator.arrivals == nullptr) return false;
  OfCommunicator &of = *communicator.arrivals;
  Table &table = *of.tables[number_of_posted(operation.procedure)];
  if (table.record != nullptr) ++table.record->starts;
  call.bytes = operation.bytes;
  call.root = static_cast<int>(operation.channel.rank);
  const bool is_wanted = expect(of, table, thread, call, handle, ++operation.latest);
  of.has_posted(thread, call.start, call.stop);
  return is_wanted;
}

void asked(std::uint64_t handle, std::uint64_t start, std::uint64_t stop) {
  const Guard guard(making, threads::several);
  Posted *one = find_posted(handle);
  if (one == nullptr) return;
  if (!goes_on(one->row, start)) {
    one->row.entered = start;
    one->row.asked = 0;
  }
  one->row.asked += clock::elapsed(start, stop);
  one->row.left = stop;
}

bool completed(std::uint64_t handle, std::uint64_t start, std::uint64_t stop, std::uint64_t together) {
  const Guard guard(making, threads::several);
  Posted *one = find_posted(handle);
  if (one == nullptr) return false;
  Table &table = *one->table;
  one->table = nullptr;
  rankwise_arrival found = one->row;
  if (!is_kept(table, found.instance)) return true;
  rankwise_arrival &free = row(table, free_row(table));
  // (Making room may have thinned out the sample.)
  if (!is_kept(table, found.instance)) return true;
  const std::uint64_t instance = found.instance, length = clock::elapsed(start, stop);
  if (!goes_on(found, start)) {
    found.entered = start;
    found.asked = 0;
  }
  const bool is_alone = found.entered == start && together == 1;
  found.asked = is_alone ? 0 : (found.asked + length) / together;
  found.left = stop;
  found.instance = 0;
  free = found;
  ++table.kept;
  __atomic_store_n(&free.instance, instance, __ATOMIC_RELEASE);
  return true;
}

void keep_long(const OfCommunicator &of, Table &table, const Thread &thread, const Call &call) {
  const std::uint64_t instance = table.next - table.remaining, length = step(of, call.stop);
  // (A call that began in another thread has no step.)
  if (!call.kept || table.record == nullptr || of.thread != &thread || !make_room(table, length)) return;
  const std::uint32_t i = free_row(table);
  // (Finding a row may have thinned out the sample, and so added to the longest.)
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
  const Guard guard(making, threads::several);
  for (Table *table : of->tables) {
    if (table == nullptr) continue;
    for (Posted &one : under_way) {
      if (one.table == table) one.table = nullptr;
    }
    std::free(table->longest);
    std::free(table);
  }
  std::free(of);
}

}  // namespace rankwise::arrivals
