// A random order that needs no memory.
#pragma once

#include <stdint.h>

// The number at `place` of a random permutation of 0 ... count - 1, which `seed` chooses.
int64_t shuffled(int64_t place, int64_t count, uint64_t seed);
