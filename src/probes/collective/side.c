#include "side.h"

#include <stdio.h>
#include <stdlib.h>

#include "../common/failure.h"
#include "arms.h"

static int group_of(const Grouping *grouping, int rank, int *place) {
  for (int group = 0; group < grouping->count; group++)
    for (*place = 0; *place < grouping->groups[group].count; ++*place)
      if (grouping->groups[group].ranks[*place] == rank) return group;
  return MPI_UNDEFINED;
}

void side_make(Side *side, const Batch *batch, const Grouping *grouping, char *line) {
  int rank, place = 0, group;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  group = group_of(grouping, rank, &place);
  *side = (Side){.takes_part = group != MPI_UNDEFINED, .arms = batch->arms_count, .late_ns = grouping->late_ns};
  MPI_Comm_split(MPI_COMM_WORLD, side->takes_part ? 0 : MPI_UNDEFINED, rank, &side->together);
  MPI_Comm_split(MPI_COMM_WORLD, group, place, &side->group);
  if (!side->takes_part) return;
  side->of_arms = needed((size_t)batch->arms_count * sizeof(MPI_Comm));
  for (int arm = 0; arm < batch->arms_count; arm++) side->of_arms[arm] = MPI_COMM_NULL;
  operands_make(&side->operands, batch->collective, batch->bytes, grouping->root, side->group, batch->has_mockups,
                line);
  if (batch->larger_bytes > 0 && !line[0])
    operands_make(&side->larger, batch->collective, batch->larger_bytes, grouping->root, side->group, false, line);
}

void side_choose(Side *side, const Batch *batch, int number) {
  const Arm *arm = &batch->arms[number];
  MPI_Comm *made = &side->of_arms[number];
  if (!batch->chosen_at_calls) arm_set(arm);
  if (arm->without_han) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", "^han");
    MPI_Comm_dup_with_info(side->group, info, made);
    MPI_Info_free(&info);
  } else {
    MPI_Comm_dup(side->group, made);
  }
  if (!batch->chosen_at_calls) arm_reset(arm);
  MPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN);
  char name[32];
  snprintf(name, sizeof name, "arm %d", number);
  MPI_Comm_set_name(*made, name);  // for a tool that records the probe
}

void side_free(Side *side) {
  if (side->takes_part) {
    for (int arm = 0; arm < side->arms; arm++)
      if (side->of_arms[arm] != MPI_COMM_NULL) MPI_Comm_free(&side->of_arms[arm]);
    MPI_Comm_free(&side->group);
    MPI_Comm_free(&side->together);
    operands_free(&side->operands);
    operands_free(&side->larger);
  }
  free(side->of_arms);
  *side = (Side){0};
}
