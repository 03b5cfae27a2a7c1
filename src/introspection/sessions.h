// The sessions of the introspection library. The functions are those of MPI_Monitoring.h, described there and in
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

Error information(int id, int *thread_level, int *members);
Error visible(int id, int *what);

// The rows of a suspended session that are here: this process's own, or those of all members.
class Rows {
 public:
  Rows() = default;
  ~Rows();
  Rows(const Rows &) = delete;
  Rows &operator=(const Rows &) = delete;

  // This process's own.
  Error of_this(int id, int flags);
  // Those of all; on all members, or on the root alone.
  Error of_all(int id, int flags);
  Error of_all_at(int id, int flags, int root);

  // Of what the root has made of them: its result, on all members. After of_all_at.
  Error as_at(int root, Error own) const;

  // Whether messages inside collectives are among them, and what of these can be seen.
  bool has_inside() const { return has_inside_; }
  Visible visible() const { return members_->visible(); }
  // With a reference more.
  Members *keep_members() const {
    members_->keep();
    return members_;
  }
  int members() const { return size_; }
  int rank() const { return rank_; }
  int world_rank() const { return world_rank_; }  // of this process
  // Members squared with of_all, else one row; nullptr where the rows are not here.
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
