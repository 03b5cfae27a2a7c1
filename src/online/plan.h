// What may be tried. Rankwise writes it to the file `plan` in the directory RANKWISE_ONLINE, as lines of words:
//
//   chosen communicators | calls        when the library reads its variables
//   millionths N                        share of the program's time for exploring
//   arm COLLECTIVE TWO SEGMENT (NAME VALUE)...
//
// Arms are numbered from 0. TWO: 1 for an arm that is valid only for two processes. SEGMENT: bytes of the segments into
// which messages are cut; the arm is for larger messages. NAME VALUE: control variables of MPI_T that choose the
// algorithm.
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

// Why nothing can be tried. Processes agree on the largest value.
enum class Unfit : std::int64_t { no, no_plan, no_variables, threads, differs };

// Reads the plan and looks up the variables.
Unfit read(const char *directory);

// Hash of its text, so that processes can compare.
std::int64_t hash();

bool chosen_at_calls();
std::int64_t millionths();

// The arms of a collective for this number of processes and message size, at most `most`. Returns their number.
int arms_for(Collective collective, int processes, std::int64_t bytes, int *found, int most);

// Sets the variables to the values of an arm, or back to their previous values. False if the library refuses the
// values; then they are as before.
bool choose(int arm);
void choose_default(int arm);

}  // namespace plan

}  // namespace rankwise::online

#endif
