// The values that the functions of MPI_Monitoring.h return. That header needs an mpi.h, which is not available here;
// tests/mpi/test_introspection.py compares them.
#ifndef RANKWISE_INTROSPECTION_ERRORS_H
#define RANKWISE_INTROSPECTION_ERRORS_H

namespace rankwise::introspection {

enum Error {
  success = 0,
  internal_fail = 1,
  mpit_fail = 2,
  missing_init = 3,
  session_still_active = 4,
  session_not_suspended = 5,
  invalid_msid = 6,
  session_overflow = 7,
  multiple_call = 8,
  invalid_root = 9,
  invalid_flags = 10,
  invalid_procedure = 11,
  invalid_comm = 12,
  invalid_machine = 13,
  invalid_order = 14,
  not_visible = 15
};

}  // namespace rankwise::introspection

#endif
