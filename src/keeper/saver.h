// Saves beside processes that run, in a child that stands back: it gets a processor when none of them wants it.
#ifndef RANKWISE_KEEPER_SAVER_H
#define RANKWISE_KEEPER_SAVER_H

#include <stdint.h>

#include "node_file.h"
#include "processes.h"

namespace rankwise::keeper {

// RATIONALE: not the keeper itself. Whoever stands back can't come forward again (that takes a privilege), and the last
// process of the node waits for the keeper in MPI_Finalize, perhaps beside others that have the processors.
class Saver {
 public:
  // Events of `events` with the number `event` signal that it is done.
  Saver(int events, uint64_t event);

  // Saves in a child, in which `files` are closed. False if that can't be.
  bool start(NodeFile &file, const Processes &processes, rankwise_control *control, const int *files, int count,
             int patience_s);
  bool is_busy() const { return child_ > 0; }
  // It is done. Returns how long it took to save, the time left out in which it had no processor.
  int64_t finish();
  // Ends it at once, wherever it is.
  void abandon();

 private:
  void forget();

  int events_;
  uint64_t event_;
  int64_t *took_ns_;  // the child writes it
  int child_ = 0;
  int watch_ = -1;
};

// A file system that hangs ends the process that calls this: nothing else can be done while we wait for it.
void limit_patience(int seconds);

}  // namespace rankwise::keeper

#endif
