-- A month and a kind of waste.
SELECT
  wasted.month,
  wasted.waste,
  SUM(wasted.node_hours) AS node_hours,
  SUM(wasted.bounded_node_hours) AS bounded_node_hours
FROM wasted
GROUP BY wasted.month, wasted.waste
ORDER BY wasted.month, wasted.waste
