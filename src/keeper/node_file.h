// The node file: the counters of all processes of the keeper, saved in one step.
#ifndef RANKWISE_KEEPER_NODE_FILE_H
#define RANKWISE_KEEPER_NODE_FILE_H

#include "network_samples.h"
#include "processes.h"

namespace rankwise::keeper {

class Output;

class NodeFile {
 public:
  // In `directory`, which is created first if `make` is set.
  NodeFile(const char *directory, bool make, const char *host, const rankwise_control &control,
           const NetworkSamples &network, uint32_t save_every_ms);

  // Rewrites the file; it replaces the previous one only when it is complete. Returns 0, or the reason for the failure
  // as rankwise_control::trouble.
  int save(const Processes &processes, bool is_final);
  // Call before each save: saves are numbered.
  void count_save() { ++saves_; }

 private:
  int write(int file, const Processes &processes, bool is_final);
  void add_network(Output &output, rankwise_node_header &header) const;

  const NetworkSamples &network_;
  const char *directory_;
  bool make_;
  uint32_t run_;
  uint32_t save_every_ms_;
  uint32_t saves_ = 0;
  const char *host_;
  char name_[192];
  char new_name_[192];
};

}  // namespace rankwise::keeper

#endif
