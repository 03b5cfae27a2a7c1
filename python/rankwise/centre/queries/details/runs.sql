-- A run of some runs, with its job.
SELECT
  run_job.run,
  run_job.cluster,
  run_job.job,
  run_job.user,
  run_job.started,
  run_job.wall_seconds,
  run_job.program,
  run_job.arguments,
  run_job.directory,
  run_job.profile,
  run_job.launcher,
  run_job.mpi_library,
  run_job.kernel,
  run_job.ranks,
  run_job.nodes,
  run_job.node_hours,
  run_job.exit_status,
  run_job.complete,
  run_job.run_seconds,
  run_job.mpi_seconds,
  run_job.waiting_seconds,
  run_job.parallel_efficiency,
  run_job.load_balance,
  run_job.verdict,
  run_job.waste_node_hours,
  run_job.waste,
  run_job.account,
  run_job.job_partition,
  run_job.job_state
FROM run_job
WHERE run_job.run IN (:runs)
  AND run_job.month BETWEEN :first_month AND :last_month
  AND (:user = '' OR run_job.user = :user)
ORDER BY run_job.run
