// The processes whose counters the keeper saves: found in the directory of their counters, watched until they are gone.
#ifndef RANKWISE_KEEPER_PROCESSES_H
#define RANKWISE_KEEPER_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "../runtime/format.h"

namespace rankwise::keeper {

struct Process {
  char name[sizeof(rankwise_node_entry::name)];  // of its counters
  int counters;                                  // descriptor; -1 = opened by its name each time
  int watch;                                     // descriptor that signals its end; -1 = poll it
  int pid;
  int64_t gone_ns;  // CLOCK_MONOTONIC; 0 = not gone, as far as we know
};

class Processes {
 public:
  // `directory` holds the counters, `events` is an epoll.
  Processes(int directory, int events, rankwise_control *control)
      : directory_(directory), events_(events), control_(control) {}

  // Adds a process whose counters are in an open file.
  void add(const char *name, int counters);
  // Adds new processes in the directory.
  void look();
  // Handles the end of a process that its watch signalled, or polls those without a watch. True if any is gone.
  bool gone(uint64_t index);
  bool ask();

  size_t count() const { return count_; }
  const Process &operator[](size_t index) const { return all_[index]; }
  bool anyone_alive() const { return alive_ != 0; }
  bool all_watched() const { return unwatched_ == 0; }
  // A descriptor of its counters, to be released; an error if they are gone.
  long open(const Process &process) const;
  void give_back(const Process &process, int file) const;
  // Removes the counters from the directory.
  void remove() const;

 private:
  bool is_known(const char *name) const;
  void watch(Process &process, size_t index);
  void note_end(Process &process);
  int64_t lived_ns(const Process &process) const;

  static constexpr size_t most = 16384;
  static Process all_[most];
  size_t count_ = 0;
  size_t alive_ = 0;
  size_t unwatched_ = 0;
  int directory_;
  int events_;
  rankwise_control *control_;
};

}  // namespace rankwise::keeper

#endif
