// The sessions of the introspection library. The functions correspond to MPI_Monitoring.h, which describes them, and
// docs/reference/introspection.md.
#ifndef RANKWISE_INTROSPECTION_SESSIONS_H
#define RANKWISE_INTROSPECTION_SESSIONS_H

#include <cstdint>

#include "../runtime/communication.h"
#include "counts.h"
#include "errors.h"

namespace rankwise::introspection {

inline constexpr int all_sessions = -1;

Error open();
Error close();
// Whether the environment is open.
bool is_open();

Error start(Handle comm, int *id);
Error suspend(int id);
Error resume(int id);
Error reset(int id);
Error free(int id);

// How long a suspended session was active, and how much of that this process spent in MPI calls.
struct SessionTimes {
  double active_s = 0;
  double in_mpi_s = 0;
};
Error times(int id, SessionTimes *times);

Error information(int id, int *thread_level, int *members);
Error visible(int id, int *what);

// The rows of a suspended session that this process has: its own row, or the rows of all members.
class Rows {
 public:
  Rows() = default;
  ~Rows();
  Rows(const Rows &) = delete;
  Rows &operator=(const Rows &) = delete;

  // This process's own.
  Error of_this(int id, int flags);
  // The rows of all members; on all members, or only on the root.
  Error of_all(int id, int flags);
  Error of_all_at(int id, int flags, int root);

  // The root's result for all rows, on all members. Call after of_all_at.
  Error as_at(int root, Error own) const;

  // Whether messages inside collectives are included, and how many of these are visible.
  bool has_inside() const { return has_inside_; }
  Visible visible() const { return members_->visible(); }
  // Holds a reference.
  Members *keep_members() const {
    members_->keep();
    return members_;
  }
  int members() const { return size_; }
  int rank() const { return rank_; }
  int world_rank() const { return world_rank_; }  // of this process
  // Members squared with of_all, else one row; nullptr on processes without the rows.
  const Count *counts() const { return counts_; }

 private:
  Error gather(int id, int flags, const int *root);  // nullptr = all get them

  Members *members_ = nullptr;
  bool has_inside_ = false;
  int size_ = 0;
  int rank_ = -1;
  int world_rank_ = -1;
  Count *counts_ = nullptr;
};

}  // namespace rankwise::introspection

#endif
