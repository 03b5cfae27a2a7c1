#include "call_paths.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>

#include "address_table.h"
#include "call_sites.h"
#include "counters_file.h"
#include "hash.h"
#include "lock.h"
#include "objects.h"
#include "process.h"

namespace rankwise::call_paths {
namespace {

constexpr unsigned most_steps = 16;   // with those through bindings
constexpr unsigned most_stacks = 64;  // of a thread that are looked up: programs may switch between any number

bool wanted = true;

// A return address: its frame, and how to unwind to the caller's frame.
struct Step {
  enum class Kind : std::uint8_t { ordinary, binding, interpreter, beginning, lost } kind = Kind::lost;
  std::uint16_t frame = 0;
  frames::Rule rule;
};
constinit AddressTable<Step> steps;
Lock lock;

struct Place {
  std::uint32_t object;
  std::uint64_t offset;
};
Place places[RANKWISE_MOST_FRAMES];
std::uint16_t place_count = 0;
rankwise_section *section = nullptr;

// 0 if there is no room for another one.
std::uint16_t frame_of(const objects::Where &where) {
  std::uint32_t object = 0;
  if (!objects::index_of(where.object, object)) return 0;
  for (std::uint16_t i = 0; i < place_count; ++i) {
    if (places[i].object == object && places[i].offset == where.offset) return RANKWISE_FIRST_FRAME + i;
  }
  if (place_count == RANKWISE_MOST_FRAMES) return 0;
  auto *record = counters_file::next_record<rankwise_site>(section, RANKWISE_SECTION_FRAMES, 128);
  if (record == nullptr) return 0;
  *record = {where.offset, object, 0};
  counters_file::publish(section);
  places[place_count] = {object, where.offset};
  return static_cast<std::uint16_t>(RANKWISE_FIRST_FRAME + place_count++);
}

Step::Kind kind_of(const objects::Where &where) {
  switch (where.role) {
    case objects::Role::none:
      return Step::Kind::lost;
    case objects::Role::binding:
      return Step::Kind::binding;
    case objects::Role::interpreter:
      return Step::Kind::interpreter;
    case objects::Role::start:
      return Step::Kind::beginning;
    default:
      return Step::Kind::ordinary;
  }
}

// nullptr if there is no room for another one.
const Step *learn(std::uintptr_t address) {
  if (steps.is_full()) return nullptr;
  const objects::Where where = objects::find(address);
  const Guard guard(lock);
  if (const Step *step = steps.find(address)) return step;  // another thread was faster
  if (steps.is_full()) return nullptr;
  Step step;
  step.kind = kind_of(where);
  step.rule = where.rule;
  if (step.kind == Step::Kind::ordinary) {
    step.frame = frame_of(where);
    if (step.frame == 0) return nullptr;
  }
  return steps.add(address, step);
}

// The end of the contiguous memory around an address; 0 = not known.
std::uintptr_t end_of_memory(std::uintptr_t address) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[4096];
  std::uintptr_t number = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t found = 0;
  enum class In : std::uint8_t { begin, end, rest } in = In::begin;
  for (ssize_t bytes = 1; found == 0 && (bytes = read(file, text, sizeof text)) > 0;) {
    for (ssize_t i = 0; i < bytes && found == 0; ++i) {
      const char one = text[i];
      if (one == '\n') {
        in = In::begin;
        number = 0;
      } else if (in == In::begin && one == '-') {
        begin = number;
        number = 0;
        in = In::end;
      } else if (in == In::end && one == ' ') {
        if (address >= begin && address < number) found = number;
        in = In::rest;
      } else if (in != In::rest) {
        number = number << 4 | static_cast<std::uintptr_t>(one <= '9' ? one - '0' : one - 'a' + 10);
      }
    }
  }
  close(file);
  return found;
}

std::uint64_t key_of(const rankwise_path &path) {
  std::uint64_t words[2];
  static_assert(sizeof words == sizeof path.frames);
  memcpy(words, path.frames, sizeof words);
  const std::uint64_t site = std::uint64_t{path.site} << 32 | std::uint64_t{path.procedure} << 16 | path.flags;
  return chain(chain(site + 1, words[0]), words[1]);
}

}  // namespace

bool Sampler::create(int thread) {
  thread_ = thread;
  drawn_ = static_cast<std::uint64_t>(getpid()) << 16 | static_cast<unsigned>(thread);
  rates_ = static_cast<Rate *>(std::calloc(RANKWISE_FIRST_SITE + RANKWISE_MOST_SITES, sizeof(Rate)));
  return rates_ != nullptr;
}

void Sampler::go_on(Rate &rate) {
  if (rate.taken < windows_of_a_length * (longest + 1)) ++rate.taken;
  const std::uint64_t calls = length(rate);
  drawn_ = chain(drawn_, calls);
  const std::uint64_t place = drawn_ & (calls - 1);
  rate.left = rate.rest + static_cast<std::uint32_t>(place);
  rate.rest = static_cast<std::uint16_t>(calls - 1 - place);
}

void Sampler::take(std::uint64_t key, std::uint64_t ticks, std::uint64_t in_mpi, frames::Frame frame) {
  const std::uint64_t period = std::bit_floor(process::quarter_second() / 256 | 1);  // about a millisecond
  next_ = wanted ? (in_mpi | (period - 1)) + 1 : ~std::uint64_t{0};
  const std::uint32_t site = keys::site(key);
  if (!wanted || site == RANKWISE_SITE_UNKNOWN) return;
  Rate &rate = rates_[site];
  const double by_number = 1.0 / static_cast<double>(length(rate));
  const double by_time = ticks < period ? static_cast<double>(ticks) / static_cast<double>(period) : 1.0;
  if (rate.left == none) go_on(rate);
  const double weight = 1.0 / (1.0 - (1.0 - by_number) * (1.0 - by_time));
  rankwise_path path{};
  path.site = static_cast<std::uint16_t>(site);
  path.procedure = static_cast<std::uint16_t>(keys::procedure(key));
  follow(frame, path);
  rankwise_path *row = row_of(path);
  if (row == nullptr) {
    counters_file::drop(RANKWISE_DROPPED_SITE_ROWS);
    return;
  }
  const auto time = static_cast<double>(ticks);
  const double spread = weight * (weight - 1.0);
  ++row->samples;
  row->calls += weight;
  row->ticks += weight * time;
  row->calls_spread += spread;
  row->ticks_spread += spread * time * time;
}

// Its row, created if it is new. If there is no room, the row for all calls of the site without room for their path.
rankwise_path *Sampler::row_of(rankwise_path &path) {
  if (!rows_.exists() && !rows_.create(thread_)) return nullptr;
  path.key = key_of(path);
  rankwise_path *row = rows_.find(path.key);
  if (row != nullptr) return row;
  if (rows_.size() < RANKWISE_MOST_PATHS) row = rows_.row(path.key);
  if (row == nullptr) {
    path = {.site = path.site, .procedure = path.procedure, .flags = RANKWISE_PATH_NO_ROOM};
    path.key = key_of(path);
    row = rows_.row(path.key, counters_file::Need::must);
  }
  if (row != nullptr && row->samples == 0) *row = path;
  return row;
}

void Sampler::follow(frames::Frame frame, rankwise_path &path) {
  const std::uintptr_t end = end_of_stack(frame.stack);
  bool is_at_site = false;  // else in a binding that was called there
  for (unsigned i = 0; i < most_steps; ++i) {
    const Step *step = steps.find(frame.address);
    if (step == nullptr) step = learn(frame.address);
    if (step == nullptr) {
      path.frame_count = 0;
      memset(path.frames, 0, sizeof path.frames);
      path.flags = RANKWISE_PATH_NO_ROOM;
      return;
    }
    if (step->kind == Step::Kind::beginning || step->kind == Step::Kind::interpreter) {
      path.flags = step->kind == Step::Kind::beginning ? RANKWISE_PATH_WHOLE : RANKWISE_PATH_PYTHON;
      return;
    }
    if (step->kind == Step::Kind::lost) break;
    if (step->kind == Step::Kind::ordinary) {
      if (is_at_site && path.frame_count == RANKWISE_MOST_CALLERS) return;
      if (is_at_site) path.frames[path.frame_count++] = step->frame;
      is_at_site = true;
    }
    if (step->rule.from == frames::Rule::From::outermost) {
      path.flags = RANKWISE_PATH_WHOLE;
      return;
    }
    if (!frames::step(step->rule, frame, end)) break;
  }
  path.flags = RANKWISE_PATH_CUT;
}

// 0 if it is not known.
//
// RATIONALE: wrong tables, as hand-written code may have, must not make us read unmapped memory.
std::uintptr_t Sampler::end_of_stack(std::uintptr_t address) {
  if (address >= stack_begin_ && address < stack_end_) return stack_end_;
  if (stacks_ == most_stacks) return 0;
  ++stacks_;
  stack_end_ = end_of_memory(address);
  // (The first thread's stack grows downwards.)
  constexpr std::uintptr_t below = std::uintptr_t{1} << 16;
  stack_begin_ = address - below;
  return stack_end_;
}

void start() {
  const char *wish = std::getenv("RANKWISE_PATHS");
  wanted = call_sites::wanted && (wish == nullptr || strcmp(wish, "off") != 0);
}

void forget() {
  const Guard guard(lock);
  steps.clear();
}

}  // namespace rankwise::call_paths
