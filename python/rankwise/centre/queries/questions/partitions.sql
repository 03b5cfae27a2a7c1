-- A partition of the chosen runs, by the accounting; '' = runs without a job there.
SELECT
  COALESCE(run_job.job_partition, '') AS partition,
  COUNT(*) AS runs,
  SUM(chosen.node_hours) AS node_hours,
  COALESCE(SUM(chosen.waste_node_hours), 0) AS waste_node_hours
FROM chosen
JOIN run_job ON run_job.run = chosen.run
WHERE run_job.month BETWEEN :first_month AND :last_month
GROUP BY COALESCE(run_job.job_partition, '')
ORDER BY node_hours DESC, partition
