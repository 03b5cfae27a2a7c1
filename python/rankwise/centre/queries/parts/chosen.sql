-- A run that the options leave. Likewise a row of another table of runs, as all have these columns.
SELECT runs.*
FROM runs
WHERE runs.month BETWEEN :first_month AND :last_month
  AND (:whole_months OR runs.started >= CAST(:since AS TIMESTAMP))
  AND (:whole_months OR runs.started < CAST(:until AS TIMESTAMP))
  AND (:user = '' OR runs.user = :user)
  AND (:program = '' OR runs.program = :program)
  AND (:cluster = '' OR runs.cluster = :cluster)
  AND (:any_job OR runs.run IN (SELECT run_of_job.run FROM run_of_job))
