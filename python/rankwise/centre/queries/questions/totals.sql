-- The chosen runs together.
SELECT
  COUNT(*) AS runs,
  COUNT(DISTINCT chosen.user) AS users,
  COUNT(DISTINCT chosen.program) AS programs,
  COALESCE(SUM(chosen.node_hours), 0) AS node_hours,
  COALESCE(SUM(chosen.waste_node_hours), 0) AS waste_node_hours,
  COUNT(CASE WHEN chosen.waste_node_hours > 0 THEN 1 END) AS wasteful_runs,
  COUNT(CASE WHEN chosen.limit = '' THEN 1 END) AS undiagnosed_runs,
  COALESCE(SUM(CASE WHEN chosen.limit = '' THEN chosen.node_hours END), 0) AS undiagnosed_node_hours,
  MIN(chosen.started) AS first_started,
  MAX(chosen.started) AS last_started
FROM chosen
