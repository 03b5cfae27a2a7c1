-- A program and a kind of waste, the largest first, with the run that shows it best.
SELECT
  wasted.program,
  wasted.waste,
  SUM(wasted.node_hours) AS node_hours,
  SUM(wasted.bounded_node_hours) AS bounded_node_hours,
  SUM(wasted.runs) AS runs,
  COUNT(DISTINCT wasted.user) AS users,
  MAX_BY(wasted.best_run, wasted.best_node_hours) AS run
FROM wasted
GROUP BY wasted.program, wasted.waste
ORDER BY node_hours DESC, wasted.program, wasted.waste
LIMIT :rows
