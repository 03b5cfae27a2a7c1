// Saves while processes run, in a child of low priority: it gets a processor when no process wants it.
#ifndef RANKWISE_KEEPER_SAVER_H
#define RANKWISE_KEEPER_SAVER_H

#include <stdint.h>

#include "node_file.h"
#include "processes.h"

namespace rankwise::keeper {

// RATIONALE: a separate child, because the keeper could not raise its priority again (that takes a privilege). The last
// process of the node waits for the keeper in MPI_Finalize, perhaps while other processes use all processors.
class Saver {
 public:
  // Events of `events` with the number `event` signal that it is done.
  Saver(int events, uint64_t event);

  // Saves in a child, in which `files` are closed. False if that fails.
  bool start(NodeFile &file, const Processes &processes, rankwise_control *control, const int *files, int count,
             int patience_s);
  bool is_busy() const { return child_ > 0; }
  // Call when it is done. Returns the time that saving took, without the time when it had no processor.
  int64_t finish();
  // Ends it at once, in any state.
  void abandon();

 private:
  void forget();

  int events_;
  uint64_t event_;
  int64_t *took_ns_;  // the child writes it
  int child_ = 0;
  int watch_ = -1;
};

// If the file system hangs, ends the calling process: nothing else can be done while we wait for it.
void limit_patience(int seconds);

}  // namespace rankwise::keeper

#endif
