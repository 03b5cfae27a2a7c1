#include "arms.h"

#include "variables.h"

static void reset(const Arm *arm, int count) {
  for (int i = count - 1; i >= 0; i--) variable_write(arm->settings[i].handle, arm->settings[i].before);
}

bool arm_set(const Arm *arm) {
  for (int i = 0; i < arm->count; i++) {
    if (variable_write(arm->settings[i].handle, arm->settings[i].value)) continue;
    reset(arm, i);
    return false;
  }
  return true;
}

void arm_reset(const Arm *arm) { reset(arm, arm->count); }
