#include "world_order.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launcher.h"
#include "run_directory.h"

namespace rankwise::world_order {
namespace {

// The words of RANKWISE_PLACE and the names of the files match python/rankwise/launch/world_order.py.
constexpr char variable[] = "RANKWISE_PLACE";
constexpr char order_file[] = "world.order";
constexpr char traffic_file[] = "world.traffic";

bool given = false;
bool renumbers = false;  // the launcher's variables have the new rank for the program
bool is_open = false;    // MPI_Init has returned
char machine_path[4096] = "";
int read_before = 0;  // variable_read()

FILE *open_file(const char *name, char *problem, std::size_t room) {
  char path[4096];
  FILE *file = run_directory::path_of(name, path, sizeof path) ? fopen(path, "re") : nullptr;
  if (file == nullptr) snprintf(problem, room, "%s is missing in the run directory", name);
  return file;
}

// One rank a line.
bool read_ranks(FILE *file, int size, int *new_rank, char *problem, std::size_t room) {
  int count = 0;
  char line[32];
  for (; fgets(line, sizeof line, file) != nullptr; ++count) {
    if (count < size) new_rank[count] = static_cast<int>(strtol(line, nullptr, 10));
  }
  if (count != size) {
    snprintf(problem, room, "the order has %d ranks and the job %d", count, size);
    return false;
  }
  auto *seen = static_cast<unsigned char *>(std::calloc(static_cast<std::size_t>(size), 1));
  bool is_order = seen != nullptr;
  for (int i = 0; is_order && i < size; ++i) {
    is_order = new_rank[i] >= 0 && new_rank[i] < size && seen[new_rank[i]]++ == 0;
  }
  std::free(seen);
  if (!is_order) snprintf(problem, room, "the order does not contain each rank once");
  return is_order;
}

// The traffic file: this, and then the columns. Written by a program of the same machine type.
struct Head {
  char magic[8];
  std::int32_t ranks;
  std::int32_t reserved;
  std::int64_t entries;
};
constexpr char magic[] = "RANKTRAF";
constexpr std::size_t entry_bytes = 2 * sizeof(std::int32_t) + sizeof(double);

bool read_head(FILE *file, int size, Head *head, char *problem, std::size_t room) {
  const bool has_head = fread(head, sizeof *head, 1, file) == 1 && memcmp(head->magic, magic, sizeof head->magic) == 0;
  if (!has_head || head->entries < 0) {
    snprintf(problem, room, "the file with the traffic between ranks is damaged");
    return false;
  }
  if (head->ranks == size) return true;
  snprintf(problem, room, "the traffic has %d ranks and the job %d", head->ranks, size);
  return false;
}

// The new rank as a text, for the program's copy of a variable; nullptr if it is not known.
char *own_new_rank() {
  static char text[16] = "";
  if (text[0] != '\0') return text;
  const int rank = launcher::rank();
  const int size = launcher::size();
  char problem[128];
  if (!given || rank < 0 || rank >= size) return nullptr;
  int *new_rank = read_order(size, problem, sizeof problem);
  if (new_rank != nullptr) snprintf(text, sizeof text, "%d", new_rank[rank]);
  std::free(new_rank);
  return text[0] != '\0' ? text : nullptr;
}

// getenv() of the program.
char *value_for_program(const char *name) {
  char *value = std::getenv(name);
  if (is_open || name == nullptr || value == nullptr) return value;
  const int number = launcher::rank_variable_number(name);
  if (number < 0) return value;
  char *renumbered = renumbers ? own_new_rank() : nullptr;
  if (renumbered != nullptr) return renumbered;
  read_before = number + 1;
  return value;
}

// nullptr without one.
const char *wish_of_user() {
  const char *wish = std::getenv(variable);
  return wish != nullptr && *wish != '\0' ? wish : nullptr;
}

}  // namespace

bool is_asked() { return wish_of_user() != nullptr; }

void read_wish() {
  const char *wish = wish_of_user();
  if (wish == nullptr) return;
  wanted = true;
  given = strncmp(wish, "order", 5) == 0;
  renumbers = strstr(wish, "renumber") != nullptr;
  if (strstr(wish, "machine") != nullptr) run_directory::path_of("machine.json", machine_path, sizeof machine_path);
}

void begun() {
  is_open = true;
  char *wish = std::getenv(variable);
  if (wish != nullptr) *wish = '\0';
}

bool is_given() { return given; }

int *read_order(int size, char *problem, std::size_t room) {
  FILE *file = open_file(order_file, problem, room);
  if (file == nullptr) return nullptr;
  auto *new_rank = static_cast<int *>(std::malloc(static_cast<std::size_t>(size) * sizeof(int)));
  if (new_rank == nullptr) snprintf(problem, room, "there is not enough memory");
  const bool done = new_rank != nullptr && read_ranks(file, size, new_rank, problem, room);
  fclose(file);
  if (done) return new_rank;
  std::free(new_rank);
  return nullptr;
}

bool read_traffic(int size, rankwise_traffic *traffic, void **memory, char *problem, std::size_t room) {
  FILE *file = open_file(traffic_file, problem, room);
  if (file == nullptr) return false;
  Head head{};
  bool done = read_head(file, size, &head, problem, room);
  const auto entries = static_cast<std::size_t>(head.entries);
  *memory = done ? std::malloc(entries * entry_bytes + 1) : nullptr;
  if (done && *memory == nullptr) snprintf(problem, room, "there is not enough memory");
  done = done && *memory != nullptr;
  if (done && fread(*memory, entry_bytes, entries, file) != entries) {
    snprintf(problem, room, "the file with the traffic between ranks is cut short");
    done = false;
  }
  fclose(file);
  if (!done) return false;
  // The wide column first, so that all are aligned.
  auto *bytes = static_cast<double *>(*memory);
  auto *source = reinterpret_cast<std::int32_t *>(bytes + entries);
  *traffic = {size, head.entries, source, source + entries, bytes, nullptr};
  return true;
}

int variable_read() { return read_before; }

const char *machine() { return machine_path[0] != '\0' ? machine_path : nullptr; }

void *stand_in(const char *name) {
  const bool asks = strcmp(name, "getenv") == 0 || strcmp(name, "secure_getenv") == 0;
  return asks ? reinterpret_cast<void *>(&value_for_program) : nullptr;
}

}  // namespace rankwise::world_order
