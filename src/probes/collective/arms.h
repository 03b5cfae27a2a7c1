// Choosing an arm's algorithm in this process.
#pragma once

#include <stdbool.h>

#include "batch.h"

// False if the library refuses a value: then nothing is changed.
bool arm_set(const Arm *arm);
void arm_reset(const Arm *arm);
