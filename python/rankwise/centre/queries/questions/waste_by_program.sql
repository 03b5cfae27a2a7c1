-- A program and a kind of waste, the largest first, with the run that shows it best.
WITH ranked AS (
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
),
shown AS (
  SELECT findings.run, findings.waste, findings.title, findings.command
  FROM findings
  JOIN ranked ON ranked.run = findings.run AND ranked.waste = findings.waste
  WHERE findings.largest AND findings.month BETWEEN :first_month AND :last_month
)
SELECT
  ranked.program,
  ranked.waste,
  ranked.node_hours,
  ranked.bounded_node_hours,
  ranked.runs,
  ranked.users,
  ranked.run,
  runs.cluster,
  runs.job,
  runs.user,
  runs.profile,
  shown.title,
  shown.command
FROM ranked
JOIN runs ON runs.run = ranked.run AND runs.month BETWEEN :first_month AND :last_month
JOIN shown ON shown.run = ranked.run AND shown.waste = ranked.waste
ORDER BY ranked.node_hours DESC, ranked.program, ranked.waste
