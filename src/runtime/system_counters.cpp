#include "system_counters.h"

#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

#include "clock.h"
#include "counters_file.h"
#include "lock.h"
#include "perf_events.h"
#include "process.h"
#include "shares.h"

namespace rankwise::system_counters {
namespace {

constexpr std::uint32_t first_records = 8;
constexpr std::uint32_t most_records = RANKWISE_REGION_OTHER;  // maximum number in a key
constexpr int most = RANKWISE_MOST_SYSTEM_COUNTERS;
constexpr std::uint64_t bit(int counter) { return 1ULL << counter; }
constexpr std::uint64_t gaps_a_quarter_second = 25;  // between readings: 10 ms, on average

// Counters that are the difference of two readings of the process's usage.
constexpr int usage_counters = RANKWISE_COUNTER_TASK_CLOCK + 1;

struct Usage {
  std::uint64_t values[usage_counters];
};

// The parts of one counter.
struct Parts {
  int counter;
  unsigned count;
  perf_events::Event events[8];
};
constinit Parts all_parts[] = {{RANKWISE_COUNTER_MIGRATIONS, 0, {}},
                               {RANKWISE_COUNTER_INSTRUCTIONS, 0, {}},
                               {RANKWISE_COUNTER_CYCLES, 0, {}},
                               {RANKWISE_COUNTER_FLOATING_POINT_OPERATIONS, 0, {}}};

Lock lock;
bool running = false;
Usage before{};
Shares shares;
rankwise_section *section = nullptr;
rankwise_system_counters *records[most_records];  // by region
std::uint32_t record_count = 0;

std::int16_t &absent(int counter) { return counters_file::header()->absent[counter]; }

// RATIONALE: of the whole process, because a region is entered for all of its threads: OpenMP threads work where the
// thread that calls MPI has entered it.
Usage usage_now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto number = [](long value) { return static_cast<std::uint64_t>(value); };
  return {{number(usage.ru_nvcsw), number(usage.ru_nivcsw), number(usage.ru_minflt), number(usage.ru_majflt),
           static_cast<std::uint64_t>(clock::nanoseconds(CLOCK_PROCESS_CPUTIME_ID))}};
}

void open_parts(Parts *parts, const perf_events::List &list) {
  std::int16_t why = list.count == 0 ? RANKWISE_ABSENT_NOT_KNOWN : 0;
  for (unsigned i = 0; i < list.count && why == 0; ++i) {
    why = static_cast<std::int16_t>(parts->events[i].open(list.of[i]));
  }
  absent(parts->counter) = why;
  parts->count = why == 0 ? list.count : 0;
}

rankwise_system_counters *record_of(std::uint32_t region) {
  if (records[region] != nullptr) return records[region];
  if (section == nullptr || section->used == section->capacity) {
    rankwise_section *next = counters_file::add_section(
        RANKWISE_SECTION_SYSTEM_COUNTERS, sizeof(rankwise_system_counters),
        record_count == 0 ? first_records : record_count, RANKWISE_NO_THREAD, counters_file::Need::ordinary);
    if (next == nullptr) return nullptr;
    section = next;
  }
  rankwise_system_counters *record =
      static_cast<rankwise_system_counters *>(counters_file::records(section)) + section->used;
  record->region = region;
  records[region] = record;
  ++record_count;
  counters_file::publish(section);
  return record;
}

void set(Counted *counted, int counter, std::uint64_t value) {
  counted->values[counter] = value;
  counted->present |= bit(counter);
}

void read_events(Counted *counted, Parts *parts) {
  bool has_run = false;
  bool is_scaled = false;
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < parts->count; ++i) {
    perf_events::Event &event = parts->events[i];
    perf_events::Reading since{};
    if (!event.read(&since)) {
      absent(parts->counter) = RANKWISE_ABSENT_LOST;
      parts->count = 0;
      return;
    }
    const std::uint64_t value = since.value * event.weight();
    const double share = static_cast<double>(since.running_ns) / static_cast<double>(since.enabled_ns);
    const bool is_whole = since.running_ns >= since.enabled_ns;
    sum += is_whole || since.running_ns == 0 ? value : static_cast<std::uint64_t>(static_cast<double>(value) / share);
    has_run = has_run || since.running_ns > 0;
    is_scaled = is_scaled || !is_whole;
  }
  if (!has_run) return;
  set(counted, parts->counter, sum);
  if (is_scaled) counted->scaled |= bit(parts->counter);
}

// The counts since the last reading.
Counted read_all() {
  Counted counted{};
  const Usage now = usage_now();
  for (int counter = 0; counter < usage_counters; ++counter) {
    if (absent(counter) == 0) set(&counted, counter, now.values[counter] - before.values[counter]);
  }
  before = now;
  for (Parts &parts : all_parts) read_events(&counted, &parts);
  return counted;
}

void add(std::uint32_t region, const Counted &share) {
  rankwise_system_counters *to = record_of(region);
  if (to == nullptr) return;
  for (int counter = 0; counter < most; ++counter) to->values[counter] += share.values[counter];
  to->present |= share.present;
  to->scaled |= static_cast<std::uint32_t>(share.scaled);
}

void read_in(std::uint32_t region, std::uint64_t now) { shares.read(region, now, read_all(), add); }

// For tests: the processor's events are replaced by the kernel's own, which every machine has: clocks and page faults.
perf_events::List test_list(int counter) {
  if (counter == RANKWISE_COUNTER_INSTRUCTIONS) return {1, {{perf_events::software, 1, 1}}};
  if (counter == RANKWISE_COUNTER_CYCLES) return {1, {{perf_events::software, 0, 1}}};
  return {2, {{perf_events::software, 2, 4}, {perf_events::software, 2, 1}}};
}

perf_events::List list_of(int counter, bool is_test) {
  if (counter == RANKWISE_COUNTER_MIGRATIONS) return {1, {{perf_events::software, 4, 1}}};
  if (is_test) return test_list(counter);
  if (counter == RANKWISE_COUNTER_CYCLES) return {1, {{perf_events::hardware, 0, 1}}};
  if (counter == RANKWISE_COUNTER_INSTRUCTIONS) return {1, {{perf_events::hardware, 1, 1}}};
  return perf_events::floating_point_operations();
}

}  // namespace

void open() {
  const char *wanted = std::getenv("RANKWISE_COUNTERS");
  if (wanted != nullptr && strcmp(wanted, "off") == 0) {
    for (int counter = 0; counter < most; ++counter) absent(counter) = RANKWISE_ABSENT_SWITCHED_OFF;
    return;
  }
  const bool is_test = wanted != nullptr && strcmp(wanted, "test") == 0;
  for (Parts &parts : all_parts) open_parts(&parts, list_of(parts.counter, is_test));
  // No process gets here without a context switch: this kernel has the numbers, but does not count.
  if (usage_now().values[RANKWISE_COUNTER_MINOR_FAULTS] > 0) return;
  for (int counter = 0; counter < RANKWISE_COUNTER_TASK_CLOCK; ++counter) absent(counter) = RANKWISE_ABSENT_NOT_COUNTED;
}

void start() {
  if (absent(RANKWISE_COUNTER_TASK_CLOCK) == RANKWISE_ABSENT_SWITCHED_OFF) return;
  const Guard guard(lock);
  read_all();
  shares.start(clock::ticks(), process::quarter_second() / gaps_a_quarter_second);
  running = true;
}

void step(std::uint32_t from, std::uint32_t to, std::uint64_t now) {
  const Guard guard(lock);
  if (!running) return;
  if (shares.wants_reading(from, to, now)) {
    read_in(from, now);
  } else {
    shares.pass(from, now);
  }
}

void charge(std::uint32_t region) {
  const Guard guard(lock);
  if (running) read_in(region, clock::ticks());
}

void charge_if_free(std::uint32_t region) {
  if (!lock.try_acquire()) return;
  if (running) read_in(region, clock::ticks());
  lock.release();
}

void stop() {
  const Guard guard(lock);
  running = false;
}

}  // namespace rankwise::system_counters
