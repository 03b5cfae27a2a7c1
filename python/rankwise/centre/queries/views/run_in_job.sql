-- A run and a job of the accounting that has the run's id as leader, and its user and cluster, and ran when it started.
-- (The accounting cuts fractions of a second.)
SELECT
  runs.run,
  runs.month AS run_month,
  accounting.month AS job_month,
  accounting.cluster,
  accounting.job,
  accounting.leader,
  accounting.allocation,
  accounting.user,
  accounting.account,
  accounting.partition,
  accounting.name,
  accounting.state,
  accounting.started,
  accounting.ended,
  accounting.nodes,
  accounting.processors,
  accounting.node_hours
FROM runs
JOIN accounting
  ON accounting.job_of_user = runs.job_of_user
  AND accounting.user = runs.user
  AND runs.started >= accounting.started
  AND runs.started < accounting.ended + INTERVAL '1' SECOND
  AND (accounting.cluster = runs.cluster OR accounting.cluster = '' OR runs.cluster = '')
