-- A program, the most wasteful first, with its parallel efficiency: in percent, weighted by node hours.
WITH parts AS (
  SELECT
    chosen.program,
    chosen.waste,
    CAST(FLOOR(100 * chosen.parallel_efficiency) AS BIGINT) AS percent,
    COUNT(*) AS runs,
    SUM(chosen.node_hours) AS node_hours,
    COALESCE(SUM(chosen.waste_node_hours), 0) AS waste_node_hours,
    MAX(COALESCE(chosen.waste_node_hours, 0)) AS best_node_hours,
    MAX_BY(
      CASE WHEN chosen.waste_node_hours > 0 THEN chosen.run END,
      COALESCE(chosen.waste_node_hours, 0)
    ) AS best_run
  FROM chosen
  GROUP BY chosen.program, chosen.waste, CAST(FLOOR(100 * chosen.parallel_efficiency) AS BIGINT)
),
ranked AS (
  SELECT
    parts.program,
    SUM(parts.runs) AS runs,
    SUM(parts.node_hours) AS node_hours,
    SUM(parts.waste_node_hours) AS waste_node_hours,
    MAX_BY(parts.best_run, parts.best_node_hours) AS run
  FROM parts
  GROUP BY parts.program
  ORDER BY waste_node_hours DESC, node_hours DESC, parts.program
  LIMIT :rows
),
users AS (
  SELECT chosen.program, COUNT(DISTINCT chosen.user) AS users
  FROM chosen
  GROUP BY chosen.program
),
of_kinds AS (
  SELECT parts.program, parts.waste, SUM(parts.waste_node_hours) AS waste_node_hours
  FROM parts
  WHERE parts.waste_node_hours > 0
  GROUP BY parts.program, parts.waste
),
kinds AS (
  SELECT of_kinds.program, MAX_BY(of_kinds.waste, of_kinds.waste_node_hours) AS waste
  FROM of_kinds
  GROUP BY of_kinds.program
),
bins AS (
  SELECT parts.program, parts.percent, SUM(parts.node_hours) AS node_hours
  FROM parts
  WHERE parts.percent IS NOT NULL
  GROUP BY parts.program, parts.percent
),
summed AS (
  SELECT
    bins.program,
    bins.percent,
    SUM(bins.node_hours) OVER (
      PARTITION BY bins.program ORDER BY bins.percent ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS up_to,
    SUM(bins.node_hours) OVER (PARTITION BY bins.program) AS of_all
  FROM bins
),
spread AS (
  SELECT
    summed.program,
    MIN(CASE WHEN summed.up_to > 0.1 * summed.of_all THEN summed.percent END) AS low_percent,
    MIN(CASE WHEN summed.up_to > 0.5 * summed.of_all THEN summed.percent END) AS median_percent,
    MIN(CASE WHEN summed.up_to > 0.9 * summed.of_all THEN summed.percent END) AS high_percent
  FROM summed
  GROUP BY summed.program
)
SELECT
  ranked.program,
  ranked.runs,
  users.users,
  ranked.node_hours,
  ranked.waste_node_hours,
  kinds.waste,
  spread.low_percent,
  spread.median_percent,
  spread.high_percent,
  ranked.run
FROM ranked
JOIN users ON users.program = ranked.program
LEFT JOIN kinds ON kinds.program = ranked.program
LEFT JOIN spread ON spread.program = ranked.program
ORDER BY ranked.waste_node_hours DESC, ranked.node_hours DESC, ranked.program
