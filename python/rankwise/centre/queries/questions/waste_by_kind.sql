-- A kind of waste, the largest first. Kinds of one run overlap: their sum is not the waste of the runs.
SELECT
  wasted.waste,
  SUM(wasted.node_hours) AS node_hours,
  SUM(wasted.bounded_node_hours) AS bounded_node_hours,
  SUM(wasted.runs) AS runs,
  COUNT(DISTINCT wasted.program) AS programs,
  COUNT(DISTINCT wasted.user) AS users
FROM wasted
GROUP BY wasted.waste
ORDER BY node_hours DESC, wasted.waste
