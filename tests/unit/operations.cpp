// What is known of operations of communicators that come and go. Prints a line for each answer that is wrong.
#include "../../src/runtime/inside/operations.h"

#include <cinttypes>
#include <cstdio>

#include "../../src/runtime/communicators.h"

using namespace rankwise;
using namespace rankwise::inside;

namespace {

constexpr std::uint32_t first = RANKWISE_FIRST_COMMUNICATOR;
constexpr std::uint32_t last = first + communicators::most_records - 1;

void learn(std::uint64_t operation, std::uint32_t communicator) {
  operations::learn(operation, {Procedure::MPI_Ibcast, communicator, operation, {}});
}

void expect(std::uint64_t operation, bool known, const char *when) {
  const Cause cause = operations::find(operation);
  if (cause.known() != known || (known && cause.start != operation)) {
    std::printf("%s: operation %" PRIu64 " is %s\n", when, operation, cause.known() ? "known" : "unknown");
  }
}

}  // namespace

int main() {
  for (const std::uint32_t gone : {first, first + 1, first + 63, last, std::uint32_t{RANKWISE_COMMUNICATOR_OTHER}}) {
    learn(1, gone);
    learn(2, last - 2);
    expect(1, true, "learned");
    operations::forget(gone);
    expect(1, false, "its communicator is gone");
    expect(2, true, "another one is gone");
    // The handle comes again, with another communicator.
    learn(1, last - 1);
    expect(1, true, "learned again");
  }
  // What is gone makes room first, however many there were: the last ones that are alive stay.
  for (std::uint64_t i = 0; i < 100; ++i) learn(1000 + i, last - 1);
  for (std::uint64_t i = 0; i < 3000; ++i) learn(10000 + i, first + 200);
  operations::forget(first + 200);
  for (std::uint64_t i = 0; i < 100; ++i) learn(2000 + i, last - 1);
  for (std::uint64_t i = 0; i < 100; ++i) expect(2000 + i, true, "learned after many were gone");
  for (std::uint64_t i = 0; i < 3000; ++i) expect(10000 + i, false, "all of its communicator are gone");
  return 0;
}
