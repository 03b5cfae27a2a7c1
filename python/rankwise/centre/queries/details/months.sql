-- The month of some runs.
SELECT runs.run, runs.month
FROM runs
WHERE runs.run IN (:runs)
  AND runs.month BETWEEN :first_month AND :last_month
