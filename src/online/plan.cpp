#include "plan.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "library.h"

namespace rankwise::online {

namespace {

constexpr const char *kNames[] = {
#define RANKWISE_NAME(name) #name,
    RANKWISE_ONLINE_COLLECTIVES(RANKWISE_NAME)
#undef RANKWISE_NAME
};

}  // namespace

const char *name_of(Collective collective) { return kNames[static_cast<int>(collective)]; }

namespace plan {

namespace {

constexpr int kMostSettings = 6;
constexpr std::size_t kMostBytes = 1 << 16;

struct Setting {
  void *variable;
  int value, before;
};

struct Planned {
  Collective collective;
  bool for_two;
  std::int64_t segment;
  int count;
  Setting settings[kMostSettings];
};

Planned planned[kMost];
int count = 0;
bool at_calls = false;
std::int64_t share = 0, hashed = 0;

bool find(const char *name, Collective *found) {
  int number = 0;
  for (const char *one : kNames) {
    if (strcmp(one, name) == 0) {
      *found = static_cast<Collective>(number);
      return true;
    }
    ++number;
  }
  return false;
}

const char *next(char **rest) { return strtok_r(nullptr, " ", rest); }

bool number(const char *word, std::int64_t *found) {
  if (word == nullptr) return false;
  char *end;
  *found = strtol(word, &end, 10);
  return end != word && *end == '\0';
}

bool read_arm(char **rest) {
  if (count == kMost) return false;
  Planned &arm = planned[count];
  const char *collective = next(rest);
  std::int64_t two;
  if (collective == nullptr || !find(collective, &arm.collective)) return false;
  if (!number(next(rest), &two) || !number(next(rest), &arm.segment)) return false;
  arm.for_two = two != 0;
  for (const char *name; (name = next(rest)) != nullptr;) {
    std::int64_t value;
    if (arm.count == kMostSettings || !number(next(rest), &value)) return false;
    Setting &setting = arm.settings[arm.count++];
    setting = {library::variable(name), static_cast<int>(value), 0};
    if (!library::read(setting.variable, &setting.before)) return false;
  }
  ++count;
  return true;
}

bool read_line(char *line) {
  char *rest = nullptr;
  const char *what = strtok_r(line, " ", &rest);
  if (what == nullptr) return true;
  if (strcmp(what, "arm") == 0) return read_arm(&rest);
  if (strcmp(what, "millionths") == 0) return number(next(&rest), &share);
  const char *word = next(&rest);
  at_calls = word != nullptr && strcmp(word, "calls") == 0;
  return strcmp(what, "chosen") == 0 && word != nullptr;
}

std::int64_t hash_of(const char *text) {
  std::uint64_t found = 0xcbf29ce484222325;
  for (; *text != '\0'; ++text) found = (found ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return static_cast<std::int64_t>(found >> 2);  // so that its negation does not overflow
}

char *text_of(const char *directory) {
  char path[4352];
  snprintf(path, sizeof path, "%s/plan", directory);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  auto *text = static_cast<char *>(calloc(kMostBytes + 1, 1));
  std::size_t length = 0;
  for (ssize_t got; text != nullptr && length < kMostBytes; length += static_cast<std::size_t>(got)) {
    got = ::read(file, text + length, kMostBytes - length);
    if (got <= 0) break;
  }
  close(file);
  return text;
}

void reset(const Planned &arm, int set) {
  for (int i = set - 1; i >= 0; --i) library::write(arm.settings[i].variable, arm.settings[i].before);
}

}  // namespace

Unfit read(const char *directory) {
  char *text = text_of(directory);
  if (text == nullptr) return Unfit::no_plan;
  hashed = hash_of(text);
  bool is_right = true;
  char *lines = nullptr;
  for (char *line = strtok_r(text, "\n", &lines); line != nullptr; line = strtok_r(nullptr, "\n", &lines))
    is_right = read_line(line) && is_right;
  free(text);
  return is_right ? Unfit::no : Unfit::no_variables;
}

std::int64_t hash() { return hashed; }
bool chosen_at_calls() { return at_calls; }
std::int64_t millionths() { return share; }

int arms_for(Collective collective, int processes, std::int64_t bytes, int *found, int most) {
  int number = 0;
  for (int arm = 0; arm < count && number < most; ++arm) {
    const Planned &one = planned[arm];
    if (one.collective != collective || (one.for_two && processes != 2)) continue;
    if (one.segment == 0 || one.segment < bytes) found[number++] = arm;
  }
  return number;
}

bool choose(int arm) {
  const Planned &one = planned[arm];
  for (int i = 0; i < one.count; ++i) {
    if (library::write(one.settings[i].variable, one.settings[i].value)) continue;
    reset(one, i);
    return false;
  }
  return true;
}

void choose_default(int arm) { reset(planned[arm], planned[arm].count); }

}  // namespace plan

}  // namespace rankwise::online
