// Time stamps. Ticks are cheap and steady; a Stamp ties them to seconds.
#ifndef RANKWISE_CLOCK_H
#define RANKWISE_CLOCK_H

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "format.h"

namespace rankwise::clock {

inline std::int64_t nanoseconds(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// For tests: simulated nodes have different clocks, including the stamps. Only if the counter is not used.
inline constinit std::int64_t shift_ns = 0;

#if defined(__x86_64__)
// Whether the time stamp counter runs at one rate in every state of the processor (CPUID 80000007h, EDX bit 8).
inline bool counter_is_invariant() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8)) != 0;
}

inline constinit bool use_counter = false;

// Call before anything is timed.
//
// RATIONALE: not when the library is loaded. A virtual machine asks its host for the answer, which takes microseconds
// in every process, and most have no MPI.
inline void choose() { use_counter = counter_is_invariant(); }

// RATIONALE: rdtsc costs 12 to 20 ns on the machines we measured, clock_gettime 30. No fence: the error of a stamp that
// slips by a few instructions is smaller than the time of a fence.
inline std::uint64_t ticks() {
  if (use_counter) [[likely]] {
    return __rdtsc();
  }
  return static_cast<std::uint64_t>(nanoseconds(CLOCK_MONOTONIC) + shift_ns);
}
#elif defined(__aarch64__)
inline void choose() {}

inline std::uint64_t ticks() {
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
#else
inline void choose() {}

inline std::uint64_t ticks() { return static_cast<std::uint64_t>(nanoseconds(CLOCK_MONOTONIC)); }
#endif

// Counters of different processors may differ by some ticks: a time is never below zero.
inline std::uint64_t elapsed(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

// RATIONALE: lengths in seconds follow from two stamps. If the process lost its processor in the middle of a stamp, all
// lengths would be wrong, so it is taken again, a few times at most.
inline rankwise_stamp stamp() {
  constexpr int tries = 8;
  constexpr std::int64_t at_once_ns = 10'000;
  rankwise_stamp best{};
  std::int64_t least_ns = INT64_MAX;
  for (int i = 0; i < tries && least_ns > at_once_ns; ++i) {
    const std::int64_t before = nanoseconds(CLOCK_MONOTONIC);
    rankwise_stamp taken{ticks(), 0, nanoseconds(CLOCK_REALTIME) + shift_ns};
    taken.monotonic_ns = nanoseconds(CLOCK_MONOTONIC);
    if (taken.monotonic_ns - before >= least_ns) continue;
    least_ns = taken.monotonic_ns - before;
    best = taken;
  }
  return best;
}

}  // namespace rankwise::clock

#endif
