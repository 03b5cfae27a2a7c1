-- A host of some runs, the one that caused most waiting first.
SELECT
  run_host.run,
  run_host.host,
  run_host.host_ranks,
  run_host.outside_seconds,
  run_host.slower_percent,
  run_host.host_mpi_seconds,
  run_host.caused_seconds
FROM run_host
WHERE run_host.run IN (:runs)
  AND run_host.month BETWEEN :first_month AND :last_month
  AND (:user = '' OR run_host.user = :user)
ORDER BY run_host.run, COALESCE(run_host.caused_seconds, 0) DESC, run_host.host
