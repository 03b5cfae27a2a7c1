-- An MPI procedure on a family of communicators of some runs, the most expensive first.
SELECT
  run_call.run,
  run_call.family,
  run_call.procedure,
  run_call.calls,
  run_call.bytes_sent,
  run_call.bytes_received,
  run_call.seconds
FROM run_call
WHERE run_call.run IN (:runs)
  AND run_call.month BETWEEN :first_month AND :last_month
  AND (:user = '' OR run_call.user = :user)
ORDER BY run_call.run, run_call.seconds DESC, run_call.family, run_call.procedure
