-- A month of the chosen runs. Efficiency is weighted by node hours.
SELECT
  chosen.month,
  COUNT(*) AS runs,
  COUNT(DISTINCT chosen.user) AS users,
  SUM(chosen.node_hours) AS node_hours,
  COALESCE(SUM(chosen.waste_node_hours), 0) AS waste_node_hours,
  SUM(chosen.node_hours * chosen.parallel_efficiency)
    / NULLIF(SUM(CASE WHEN chosen.parallel_efficiency IS NOT NULL THEN chosen.node_hours END), 0)
    AS parallel_efficiency
FROM chosen
GROUP BY chosen.month
ORDER BY chosen.month
