// Counters of the kernel's perf_event_open(2), of this process with the threads that it starts afterwards.
#ifndef RANKWISE_PERF_EVENTS_H
#define RANKWISE_PERF_EVENTS_H

#include <cstdint>

namespace rankwise::perf_events {

// As the kernel numbers them: PERF_TYPE_* and PERF_COUNT_*.
constexpr std::uint32_t hardware = 0;
constexpr std::uint32_t software = 1;
constexpr std::uint32_t raw = 4;

struct What {
  std::uint32_t type;
  std::uint64_t config;
  std::uint64_t weight;  // factor for each event
};

// The counters of floating-point operations on this processor; `count` is 0 if none are known.
struct List {
  unsigned count;
  What of[8];
};
List floating_point_operations();

// As read(2) returns it.
struct Reading {
  std::uint64_t value;
  std::uint64_t enabled_ns;
  std::uint64_t running_ns;  // less than `enabled`: it shared its place in the processor with others
};

class Event {
 public:
  // 0, or an errno. Events of the processor are counted only in the program, not in the kernel, so that no additional
  // rights are needed. Events of the kernel are counted wherever they happen.
  int open(const What &what);

  // The counts since the last reading; false: the program has closed our descriptor.
  bool read(Reading *since);

  std::uint64_t weight() const { return weight_; }

 private:
  bool is_still_ours() const;

  int file_ = -1;
  std::uint64_t id_ = 0;
  std::uint64_t weight_ = 1;
  Reading last_{};
};

}  // namespace rankwise::perf_events

#endif
