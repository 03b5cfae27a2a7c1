#include "report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "clock.h"

namespace rankwise::online::report {

std::int64_t spent = 0;

namespace {

char path[4608];
std::int64_t begun = 0;
bool leads_any = false;  // of the communicators at the end
constexpr int kMostMembers = 4096;

constexpr const char *kStates[] = {"watching", "trying", "racing", "confirming", "kept", "none"};

// Grows. If memory is exhausted, the line is not written.
struct Text {
  char *characters = nullptr;
  std::size_t length = 0, room = 0;
  bool is_whole = true;
};

__attribute__((format(printf, 2, 3))) void add(Text &text, const char *format, ...) {
  char piece[512];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  const auto bytes = static_cast<std::size_t>(length);
  if (length < 0 || bytes >= sizeof piece) {
    text.is_whole = false;
    return;
  }
  if (text.length + bytes + 1 > text.room) {
    const std::size_t room = 2 * text.room + sizeof piece;
    auto *larger = static_cast<char *>(realloc(text.characters, room));
    if (larger == nullptr) {
      text.is_whole = false;
      return;
    }
    text.characters = larger;
    text.room = room;
  }
  memcpy(text.characters + text.length, piece, bytes + 1);
  text.length += bytes;
}

// In one write, so that a killed job leaves whole lines.
void append(Text &text) {
  add(text, "}\n");
  const int file = text.is_whole ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (file >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(file, text.characters, text.length);  // there is nowhere to report
                                                                                           // a failure
    close(file);
  }
  free(text.characters);
}

void add_members(Text &text, const Communicator &comm) {
  static auto *const group_of = reinterpret_cast<int (*)(Word, void *)>(library::function("PMPI_Comm_group"));
  static auto *const free_group = reinterpret_cast<int (*)(void *)>(library::function("PMPI_Group_free"));
  static auto *const translate =
      reinterpret_cast<int (*)(Word, int, const int *, Word, int *)>(library::function("PMPI_Group_translate_ranks"));
  static int ranks[kMostMembers], world_ranks[kMostMembers];
  if (comm.processes > kMostMembers) return;
  for (int rank = 0; rank < comm.processes; ++rank) ranks[rank] = rank;
  Word group = 0, world = 0;
  if (group_of(comm.handle, &group) != library::kSuccess) return;
  if (group_of(library::constants().comm_world, &world) == library::kSuccess) {
    if (translate(library::written(&group), comm.processes, ranks, library::written(&world), world_ranks) ==
        library::kSuccess) {
      add(text, ", \"members\": [");
      for (int rank = 0; rank < comm.processes; ++rank) add(text, "%s%d", rank != 0 ? ", " : "", world_ranks[rank]);
      add(text, "]");
    }
    free_group(&world);
  }
  free_group(&group);
}

using Number = long long;

void add_race(Text &text, const Cell &cell) {
  const Race &race = cell.race;
  add(text, ", \"state\": \"%s\", \"calls\": %lld, \"calls_by_default\": %lld, \"default_ns\": %lld, \"rounds\": %d",
      kStates[static_cast<int>(race.state())], static_cast<Number>(race.total_calls()),
      static_cast<Number>(race.calls_before_choice()), static_cast<Number>(race.default_ns()), race.rounds());
  if (race.candidate() != kDefault) add(text, ", \"candidate\": %d", cell.planned[race.candidate()]);
  add(text, ", \"pairs\": [");
  for (int i = 0; i < race.pairs(); ++i) {
    const std::int64_t *pair = race.pair(i);
    add(text, "%s[%lld, %lld]", i != 0 ? ", " : "", static_cast<Number>(pair[0]), static_cast<Number>(pair[1]));
  }
  add(text, "], \"arms\": [");
  for (int number = 1; number <= race.arms(); ++number) {
    const Arm &arm = race.of(number);
    add(text, "%s{\"arm\": %d, \"out\": \"%s\", \"trial\": %.4g, \"ratios\": [", number != 1 ? ", " : "",
        cell.planned[number], arm.out != nullptr ? arm.out : "", arm.ratios[kMostRounds]);
    for (int round = 0; round < arm.rounds; ++round) add(text, "%s%.4g", round != 0 ? ", " : "", arm.ratios[round]);
    add(text, "]}");
  }
  add(text, "]");
}

}  // namespace

void begin(const char *directory, std::int64_t begin_ns) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  snprintf(path, sizeof path, "%s/%s.%d", directory, host, static_cast<int>(getpid()));
  begun = begin_ns;
}

void write(const Communicator &comm, const Cell &cell) {
  if (comm.rank != 0) return;
  Text text;
  add(text, "{\"communicator\": %d, \"cell\": %d, \"procedure\": \"MPI_%s\", \"processes\": %d", comm.number,
      cell.number, name_of(cell.collective), comm.processes);
  add(text, ", \"low\": %lld, \"high\": %lld, \"in_place\": %s, \"other_order\": %s", static_cast<Number>(cell.low),
      static_cast<Number>(cell.high), cell.has_in_place ? "true" : "false", cell.has_other_order ? "true" : "false");
  add_members(text, comm);
  add_race(text, cell);
  append(text);
}

void write(Communicator &comm) {
  for (const Cell *cell = comm.cells; cell != nullptr; cell = cell->next) write(comm, *cell);
}

void write_unfit(plan::Unfit why) {
  static constexpr const char *reasons[] = {"", "no plan", "no variables", "threads", "differs"};
  Text text;
  add(text, "{\"unfit\": \"%s\"", reasons[static_cast<int>(why)]);
  append(text);
}

void write_end() {
  leads_any = false;
  communicators::each([](Communicator &comm) {
    leads_any = leads_any || (comm.processes > 0 && comm.rank == 0);
    write(comm);
  });
  if (!leads_any) return;
  Text text;
  add(text, "{\"elapsed_ns\": %lld, \"spent_ns\": %lld", static_cast<Number>(now_ns() - begun),
      static_cast<Number>(spent));
  append(text);
}

}  // namespace rankwise::online::report
