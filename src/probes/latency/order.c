#include "order.h"

// The finalizer of splitmix64 (Steele, Lea, Flood 2014).
static uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

enum { FEISTEL_ROUNDS = 6 };

// A Feistel network permutes the numbers of 2 x `half` bits. A result outside of 0 ... count - 1 is permuted again
// until it is inside: that keeps it a permutation.
int64_t shuffled(int64_t place, int64_t count, uint64_t seed) {
  int half = 1;
  while (half < 31 && (INT64_C(1) << (2 * half)) < count) half++;
  uint64_t mask = (UINT64_C(1) << half) - 1, value = (uint64_t)place;
  do {
    uint64_t left = value >> half, right = value & mask;
    for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
      uint64_t next = left ^ (mixed(seed ^ mixed(right ^ (round << 32))) & mask);
      left = right;
      right = next;
    }
    value = left << half | right;
  } while (value >= (uint64_t)count);
  return (int64_t)value;
}
