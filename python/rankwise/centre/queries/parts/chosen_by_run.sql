-- A run that the options about runs leave.
SELECT runs.*
FROM runs
WHERE runs.month BETWEEN :first_month AND :last_month
  AND runs.started >= CAST(:since AS TIMESTAMP)
  AND runs.started < CAST(:until AS TIMESTAMP)
  AND (:user = '' OR runs.user = :user)
  AND (:program = '' OR runs.program = :program)
  AND (:cluster = '' OR runs.cluster = :cluster)
