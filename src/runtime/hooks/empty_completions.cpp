#include "empty_completions.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "../clock.h"
#include "../keys.h"
#include "../process.h"
#include "../regions.h"
#include "../thread.h"
#include "../wrappers/booking.h"

namespace rankwise::empty_completions {
namespace {

struct Spelling {
  const char *name;
  Procedure procedure;
};

#define RANKWISE_SPELLINGS(procedure, upper, lower)                                                     \
  {lower, Procedure::procedure}, {lower "_", Procedure::procedure}, {lower "__", Procedure::procedure}, \
      {lower "_f08_", Procedure::procedure}, {                                                          \
    upper, Procedure::procedure                                                                         \
  }
constexpr Spelling spellings[] = {
    RANKWISE_SPELLINGS(MPI_Waitall, "MPI_WAITALL", "mpi_waitall"),
    RANKWISE_SPELLINGS(MPI_Waitany, "MPI_WAITANY", "mpi_waitany"),
    RANKWISE_SPELLINGS(MPI_Waitsome, "MPI_WAITSOME", "mpi_waitsome"),
    RANKWISE_SPELLINGS(MPI_Testall, "MPI_TESTALL", "mpi_testall"),
    RANKWISE_SPELLINGS(MPI_Testany, "MPI_TESTANY", "mpi_testany"),
    RANKWISE_SPELLINGS(MPI_Testsome, "MPI_TESTSOME", "mpi_testsome"),
};
#undef RANKWISE_SPELLINGS
constexpr std::size_t count = sizeof spellings / sizeof spellings[0];

// All arguments are addresses, the number of requests is the first; none of the procedures has more than six.
using Binding = void(const int *requests, void *, void *, void *, void *, void *);
Binding *bindings[count] = {};

// The library's name and version do not show whether the binding calls our wrapper, which counts the call: the thread's
// record does.
template <std::size_t i>
[[gnu::noinline]] void empty(const int *requests, void *a, void *b, void *c, void *d, void *e) {
  constexpr Procedure procedure = spellings[i].procedure;
  Thread *thread = process::paused ? nullptr : threads::enter(leaving::frame(), __builtin_frame_address(0));
  if (thread == nullptr) return bindings[i](requests, a, b, c, d, e);
  const std::uint64_t left_before = thread->record->left_key;
  thread->record->left_key = 0;
  thread->inside = thread->outer;
  const std::uint64_t start = clock::ticks();
  bindings[i](requests, a, b, c, d, e);
  const std::uint64_t stop = clock::ticks();
  if (thread->record->left_key != 0) return;
  thread->record->left_key = left_before;
  const std::uint64_t key = keys::calls(procedure, RANKWISE_COMMUNICATOR_NONE, regions::current);
  booking::add_call(booking::row(*thread, key), clock::elapsed(start, stop));
  process::alive_at(stop);
}

template <std::size_t i>
void stand_in_for(const int *requests, void *a, void *b, void *c, void *d, void *e) {
  if (*requests == 0) [[unlikely]] {
    return empty<i>(requests, a, b, c, d, e);
  }
  bindings[i](requests, a, b, c, d, e);
}

template <std::size_t... i>
Binding *stand_in_at(std::size_t place, std::index_sequence<i...> /*all*/) {
  static constexpr Binding *all[] = {&stand_in_for<i>...};
  return all[place];
}

std::size_t place_of(const char *name) {
  std::size_t place = 0;
  while (place < count && strcmp(spellings[place].name, name) != 0) ++place;
  return place;
}

}  // namespace

bool has(const char *name) {
  const bool possible = strncmp(name, "mpi_", 4) == 0 || strncmp(name, "MPI_", 4) == 0;
  return possible && place_of(name) < count;
}

void *stand_in(const char *name, void *binding) {
  const std::size_t place = place_of(name);
  auto *const wanted = reinterpret_cast<Binding *>(binding);
  if (bindings[place] == nullptr) bindings[place] = wanted;
  if (bindings[place] != wanted) return nullptr;
  return reinterpret_cast<void *>(stand_in_at(place, std::make_index_sequence<count>{}));
}

}  // namespace rankwise::empty_completions
