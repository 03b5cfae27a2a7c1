// What may be tried: Rankwise has written it to the file `plan` of the directory RANKWISE_ONLINE, by lines of words:
//
//   chosen communicators | calls        when the library looks at its variables
//   millionths N                        of the program's time, for exploring
//   arm COLLECTIVE TWO SEGMENT (NAME VALUE)...
//
// Arms are numbered from 0. TWO: 1 for one that is right for two processes alone. SEGMENT: bytes that messages are cut
// into; the arm is for messages that are larger. NAME VALUE: control variables of MPI_T that choose the algorithm.
#ifndef RANKWISE_ONLINE_PLAN_H
#define RANKWISE_ONLINE_PLAN_H

#include <cstdint>

namespace rankwise::online {

// clang-format off: its layout of this list changes each time it runs.
#define RANKWISE_ONLINE_COLLECTIVES(X) \
  X(Allgather) \
  X(Allgatherv) \
  X(Allreduce) \
  X(Alltoall) \
  X(Alltoallv) \
  X(Barrier) \
  X(Bcast) \
  X(Exscan) \
  X(Gather) \
  X(Reduce) \
  X(Reduce_scatter) \
  X(Reduce_scatter_block) \
  X(Scan) \
  X(Scatter)
// clang-format on

enum class Collective {
#define RANKWISE_NAME(name) name,
  RANKWISE_ONLINE_COLLECTIVES(RANKWISE_NAME)
#undef RANKWISE_NAME
};
const char *name_of(Collective collective);

namespace plan {

inline constexpr int kMost = 256;

// Why nothing can be tried. Processes agree on the largest.
enum class Unfit : std::int64_t { no, no_plan, no_variables, threads, differs };

// Reads it, and finds the variables.
Unfit read(const char *directory);

// Of its text, so that processes can compare.
std::int64_t hash();

bool chosen_at_calls();
std::int64_t millionths();

// The arms of a collective on so many processes, for messages of so many bytes; at most `most` of them. Returns how
// many.
int arms_for(Collective collective, int processes, std::int64_t bytes, int *found, int most);

// Gives the variables the values of an arm, and those that they had. False: the library does not take them; then they
// are as before.
bool choose(int arm);
void choose_default(int arm);

}  // namespace plan

}  // namespace rankwise::online

#endif
