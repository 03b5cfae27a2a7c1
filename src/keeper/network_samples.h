// Samples of the network's counters, over the time of the job.
#ifndef RANKWISE_KEEPER_NETWORK_SAMPLES_H
#define RANKWISE_KEEPER_NETWORK_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "network_ports.h"

namespace rankwise::keeper {

// A child takes the samples, one each second at first. When there are too many, every second one is dropped, and the
// time between them doubles. It runs only when no rank wants its processor; the first and the last sample are the
// keeper's.
class NetworkSamples {
 public:
  struct Rows {
    const int64_t *first;
    uint32_t count;
  };

  // Of the ports below `kernel_files`; of none if that is empty.
  explicit NetworkSamples(const char *kernel_files);

  // Takes the first sample, and starts the child, in which `files` are closed.
  void start(const int *files, int count);
  // Ends the child, and takes the last sample.
  void finish();

  const NetworkPorts &ports() const { return ports_; }
  // So far. They may be read while the child adds others.
  Rows rows() const;
  // Of a sample: its time and its values.
  size_t row_bytes() const { return row_words_ * sizeof(int64_t); }

 private:
  static constexpr uint32_t most_rows = 512;

  // Shared with the child. It writes to one set of rows until that is full, and copies every second row to the other
  // set.
  struct Shared {
    uint32_t set;
    uint32_t used[2];
    int64_t pause_ns;
  };

  void take(bool rare);
  void thin_out();
  int64_t *row(uint32_t set, uint32_t index) const;
  [[noreturn]] void take_all(int keeper);

  NetworkPorts ports_;
  Shared *shared_ = nullptr;
  size_t row_words_ = 0;
  int child_ = 0;
};

}  // namespace rankwise::keeper

#endif
