-- A job with its runs, the most wasteful first. Without a job's number, a run is taken for a job.
WITH ranked AS (
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
),
shown AS (
  SELECT findings.run, findings.waste, findings.title, findings.command, findings.upper_bound
  FROM findings
  JOIN ranked ON ranked.run = findings.run
  WHERE findings.largest AND findings.month BETWEEN :first_month AND :last_month
)
SELECT
  runs.cluster,
  runs.job,
  runs.user,
  runs.program,
  runs.started,
  runs.nodes,
  ranked.runs,
  ranked.node_hours,
  ranked.waste_node_hours,
  runs.waste,
  shown.upper_bound,
  ranked.run,
  runs.profile,
  shown.title,
  shown.command
FROM ranked
JOIN runs ON runs.run = ranked.run AND runs.month BETWEEN :first_month AND :last_month
LEFT JOIN shown ON shown.run = ranked.run AND shown.waste = runs.waste
ORDER BY ranked.waste_node_hours DESC, ranked.run
