-- A month of the accounting: its jobs and their node hours, and of these the jobs with a run.
WITH accounted AS (
  SELECT accounting.month, COUNT(*) AS jobs, SUM(accounting.node_hours) AS node_hours
  FROM accounting
  WHERE accounting.month BETWEEN :first_month AND :last_month
    AND accounting.started >= CAST(:since AS TIMESTAMP)
    AND accounting.started < CAST(:until AS TIMESTAMP)
    AND (:user = '' OR accounting.user = :user)
    AND (:account = '' OR accounting.account = :account)
    AND (:partition = '' OR accounting.partition = :partition)
    AND (:cluster = '' OR accounting.cluster = :cluster)
  GROUP BY accounting.month
),
with_run AS (
  SELECT run_in_job.job_month, MAX(run_in_job.node_hours) AS node_hours
  FROM run_in_job
  WHERE run_in_job.job_month BETWEEN :first_month AND :last_month
    AND run_in_job.run_month BETWEEN :first_month AND :last_run_month
    AND run_in_job.started >= CAST(:since AS TIMESTAMP)
    AND run_in_job.started < CAST(:until AS TIMESTAMP)
    AND (:user = '' OR run_in_job.user = :user)
    AND (:account = '' OR run_in_job.account = :account)
    AND (:partition = '' OR run_in_job.partition = :partition)
    AND (:cluster = '' OR run_in_job.cluster = :cluster)
  GROUP BY run_in_job.job_month, run_in_job.cluster, run_in_job.job, run_in_job.started
),
recorded AS (
  SELECT with_run.job_month, COUNT(*) AS jobs, SUM(with_run.node_hours) AS node_hours
  FROM with_run
  GROUP BY with_run.job_month
)
SELECT
  accounted.month,
  accounted.jobs,
  accounted.node_hours,
  COALESCE(recorded.jobs, 0) AS recorded_jobs,
  COALESCE(recorded.node_hours, 0) AS recorded_node_hours
FROM accounted
LEFT JOIN recorded ON recorded.job_month = accounted.month
ORDER BY accounted.month
