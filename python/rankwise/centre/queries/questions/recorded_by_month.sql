-- A month of the accounting: its jobs and their node hours, and of these the jobs with a run.
WITH accounted AS (
  SELECT accounting.month, COUNT(*) AS jobs, SUM(accounting.node_hours) AS node_hours
  FROM accounting
  WHERE accounting.month BETWEEN :first_month AND :last_month
    AND (:whole_months OR accounting.started >= CAST(:since AS TIMESTAMP))
    AND (:whole_months OR accounting.started < CAST(:until AS TIMESTAMP))
    AND (:user = '' OR accounting.user = :user)
    AND (:account = '' OR accounting.account = :account)
    AND (:partition = '' OR accounting.partition = :partition)
    AND (:cluster = '' OR accounting.cluster = :cluster)
  GROUP BY accounting.month
),
with_run AS (
  SELECT run_in_job.allocation
  FROM run_in_job
  WHERE run_in_job.job_month BETWEEN :first_month AND :last_month
    AND run_in_job.run_month BETWEEN :first_month AND :last_run_month
    AND (:whole_months OR run_in_job.started >= CAST(:since AS TIMESTAMP))
    AND (:whole_months OR run_in_job.started < CAST(:until AS TIMESTAMP))
    AND (:user = '' OR run_in_job.user = :user)
    AND (:account = '' OR run_in_job.account = :account)
    AND (:partition = '' OR run_in_job.partition = :partition)
    AND (:cluster = '' OR run_in_job.cluster = :cluster)
),
recorded AS (
  SELECT accounting.month, COUNT(*) AS jobs, SUM(accounting.node_hours) AS node_hours
  FROM accounting
  WHERE accounting.month BETWEEN :first_month AND :last_month
    AND accounting.allocation IN (SELECT with_run.allocation FROM with_run)
  GROUP BY accounting.month
)
SELECT
  accounted.month,
  accounted.jobs,
  accounted.node_hours,
  COALESCE(recorded.jobs, 0) AS recorded_jobs,
  COALESCE(recorded.node_hours, 0) AS recorded_node_hours
FROM accounted
LEFT JOIN recorded ON recorded.month = accounted.month
ORDER BY accounted.month
