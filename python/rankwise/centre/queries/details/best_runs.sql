-- A run that shows a problem best.
SELECT
  runs.run,
  runs.cluster,
  runs.job,
  runs.user,
  runs.program,
  runs.started,
  runs.nodes,
  runs.profile,
  runs.waste
FROM runs
WHERE runs.run IN (:runs)
  AND runs.month IN (:months)
