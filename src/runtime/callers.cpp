#include "callers.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "dispatch/library.h"
#include "generated/procedures.h"
#include "hash.h"
#include "hooks/references.h"
#include "lock.h"

namespace rankwise {
namespace {

constexpr int most_steps = 8;  // through bindings and tools that call one another
unsigned generation = 1;

// Known objects, by their address range.
struct Known {
  std::uintptr_t object;
  unsigned generation;
  bool follows;
};
constexpr int most_known = 16;
Known known_objects[most_known];
int next_known = 0;
Lock lock;

// Whether functions of the object follow ours in the loading order, as those in a tool after us do. Its calls are made
// from inside our wrappers.
bool asks_us_again(const dl_phdr_info &info) {
  for (const SlotFacts &facts : slot_facts) {
    if (facts.exported && references::lies_in(dlsym(RTLD_NEXT, facts.name), info)) return true;
  }
  return false;
}

bool follows_us(const dl_phdr_info &info) {
  const unsigned now = __atomic_load_n(&generation, __ATOMIC_RELAXED);
  {
    const Guard guard(lock);
    for (const Known &known : known_objects) {
      if (known.object == info.dlpi_addr && known.generation == now) return known.follows;
    }
  }
  // RATIONALE: not with our lock held: a thread that holds the loader's lock might wait for ours.
  const bool follows = asks_us_again(info);
  const Guard guard(lock);
  known_objects[next_known++ % most_known] = {info.dlpi_addr, now, follows};
  return follows;
}

// Whether the call that returns to `address` is indirect: the library runs a callback. Then a callback that ends with a
// call of an MPI procedure has made it by a tail call, and has no frame any more.
bool is_of_callback([[maybe_unused]] const dl_phdr_info &info, std::uintptr_t address) {
#if defined(__x86_64__)
  const auto *after = reinterpret_cast<const std::uint8_t *>(address);
  std::int32_t distance = 0;
  memcpy(&distance, after - 4, sizeof distance);
  const bool direct = after[-5] == 0xE8 && references::lies_in(after + distance, info);
  if (direct || (after[-6] == 0xFF && after[-5] == 0x15))
    return false;  // 0x15: by the table of other objects' functions
  const auto calls = [](std::uint8_t operand, int mode, bool index) {
    return (operand & 0x38) == 0x10 && operand >> 6 == mode && ((operand & 7) == 4) == index;
  };
  return (after[-2] == 0xFF && (calls(after[-1], 3, false) || calls(after[-1], 3, true))) ||
         (after[-2] == 0xFF && calls(after[-1], 0, false)) || (after[-3] == 0xFF && calls(after[-2], 1, false)) ||
         (after[-3] == 0xFF && calls(after[-2], 0, true)) || (after[-4] == 0xFF && calls(after[-3], 1, true)) ||
         (after[-6] == 0xFF && calls(after[-5], 2, false)) || (after[-7] == 0xFF && calls(after[-6], 2, true));
#elif defined(__aarch64__)
  std::uint32_t instruction = 0;
  memcpy(&instruction, reinterpret_cast<const void *>(address - sizeof instruction), sizeof instruction);
  return (instruction & 0xFFFFFC1F) == 0xD63F0000;  // blr
#else
  return false;
#endif
}

// Whether a function that begins here is a wrapper of an MPI procedure.
bool is_wrapper(std::uintptr_t function) {
  Dl_info symbol{};
  return function != 0 && dladdr(reinterpret_cast<void *>(function), &symbol) != 0 && symbol.dli_sname != nullptr &&
         symbol.dli_saddr == reinterpret_cast<void *>(function) && strncmp(symbol.dli_sname, "MPI_", 4) == 0;
}

bool is_ours(const dl_phdr_info &info, const char *path) {
  const char *slash = strrchr(path, '/');
  return references::lies_in(reinterpret_cast<const void *>(&is_wrapper), info) ||
         (slash != nullptr && strncmp(slash + 1, "librankwise", 11) == 0);
}

}  // namespace

struct Callers::Search {
  std::uintptr_t address;
  Place place;
  bool asks = false;  // other queries are impossible while the loader lists its objects
  dl_phdr_info info{};
  std::uintptr_t function = 0;
};

int Callers::look_at(dl_phdr_info *info, std::size_t /*bytes*/, void *wanted) {
  auto &search = *static_cast<Search *>(wanted);
  if (!references::lies_in(reinterpret_cast<const void *>(search.address - 1), *info)) return 0;
  const char *path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  const bool is_program = path[0] == '\0';
  search.place.maker = Maker::other;
  // (A static program is one object with us and the MPI library, so its parts can't be distinguished.)
  if (is_ours(*info, path)) return 1;
  if (!is_program && library::belongs_to_mpi(path)) {
    const bool is_binding = !library::is_mpi_library(path) && !library::is_component(path);
    search.place.maker = is_of_callback(*info, search.address) ? Maker::program
                         : is_binding                          ? Maker::hands_on
                                                               : Maker::other;
    search.place.rule = frames::rule_at(*info, search.address);
    return 1;
  }
  search.place.rule = frames::rule_at(*info, search.address);
  search.asks = true;
  search.info = *info;
  search.function = frames::function_at(*info, search.address);
  return 1;
}

Callers::Place Callers::learn(std::uintptr_t address) {
  Search search{};
  search.address = address;
  search.place.address = address;
  search.place.generation = __atomic_load_n(&generation, __ATOMIC_RELAXED);
  search.place.maker = Maker::program;  // code that the program has generated at run time
  dl_iterate_phdr(look_at, &search);
  if (search.asks && !follows_us(search.info)) {
    search.place.maker = is_wrapper(search.function) ? Maker::hands_on : Maker::program;
  }
  return search.place;
}

const Callers::Place &Callers::look(std::uintptr_t address) {
  Place &place = places_[scatter(address) >> (64 - bits)];
  if (place.address != address || place.generation != __atomic_load_n(&generation, __ATOMIC_RELAXED)) {
    place = learn(address);
  }
  return place;
}

bool Callers::is_program(frames::Frame call) {
  for (int i = 0; i < most_steps; ++i) {
    const Place &place = look(call.address);
    if (place.maker != Maker::hands_on) return place.maker == Maker::program;
    if (!frames::step(place.rule, call)) return true;
  }
  return true;
}

void Callers::forget() { __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED); }

}  // namespace rankwise
