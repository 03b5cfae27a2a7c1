-- A job with its runs, the most wasteful first. Without a job's number, a run is taken for a job.
SELECT
  COUNT(*) AS runs,
  SUM(chosen.node_hours) AS node_hours,
  SUM(chosen.waste_node_hours) AS waste_node_hours,
  MAX_BY(chosen.run, chosen.waste_node_hours) AS run
FROM chosen
GROUP BY chosen.cluster, CASE WHEN chosen.job = '' THEN chosen.run ELSE chosen.job_of_user END
HAVING SUM(chosen.waste_node_hours) > 0
ORDER BY waste_node_hours DESC, run
LIMIT :rows
