-- A user, the most wasteful first, with the kind and the program that most of the waste is of.
WITH parts AS (
  SELECT
    chosen.user,
    chosen.program,
    chosen.waste,
    COUNT(*) AS runs,
    SUM(chosen.node_hours) AS node_hours,
    COALESCE(SUM(chosen.waste_node_hours), 0) AS waste_node_hours,
    MAX(COALESCE(chosen.waste_node_hours, 0)) AS best_node_hours,
    MAX_BY(
      CASE WHEN chosen.waste_node_hours > 0 THEN chosen.run END,
      COALESCE(chosen.waste_node_hours, 0)
    ) AS best_run
  FROM chosen
  GROUP BY chosen.user, chosen.program, chosen.waste
),
ranked AS (
  SELECT
    parts.user,
    SUM(parts.runs) AS runs,
    SUM(parts.node_hours) AS node_hours,
    SUM(parts.waste_node_hours) AS waste_node_hours,
    MAX_BY(parts.best_run, parts.best_node_hours) AS run
  FROM parts
  GROUP BY parts.user
  ORDER BY waste_node_hours DESC, node_hours DESC, parts.user
  LIMIT :rows
),
of_kinds AS (
  SELECT parts.user, parts.waste, SUM(parts.waste_node_hours) AS waste_node_hours
  FROM parts
  WHERE parts.waste_node_hours > 0
  GROUP BY parts.user, parts.waste
),
of_programs AS (
  SELECT parts.user, parts.program, SUM(parts.waste_node_hours) AS waste_node_hours
  FROM parts
  WHERE parts.waste_node_hours > 0
  GROUP BY parts.user, parts.program
),
kinds AS (
  SELECT of_kinds.user, MAX_BY(of_kinds.waste, of_kinds.waste_node_hours) AS waste
  FROM of_kinds
  GROUP BY of_kinds.user
),
programs AS (
  SELECT of_programs.user, MAX_BY(of_programs.program, of_programs.waste_node_hours) AS program
  FROM of_programs
  GROUP BY of_programs.user
)
SELECT
  ranked.user,
  ranked.runs,
  ranked.node_hours,
  ranked.waste_node_hours,
  kinds.waste,
  programs.program,
  ranked.run
FROM ranked
LEFT JOIN kinds ON kinds.user = ranked.user
LEFT JOIN programs ON programs.user = ranked.user
ORDER BY ranked.waste_node_hours DESC, ranked.node_hours DESC, ranked.user
