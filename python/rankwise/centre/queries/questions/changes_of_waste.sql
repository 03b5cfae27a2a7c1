-- A program and a kind of waste in two months, the largest change first.
WITH compared AS (
  SELECT
    chosen_findings.program,
    chosen_findings.waste,
    SUM(CASE WHEN chosen_findings.month = :earlier THEN chosen_findings.node_hours ELSE 0 END)
      AS earlier_node_hours,
    SUM(CASE WHEN chosen_findings.month = :later THEN chosen_findings.node_hours ELSE 0 END)
      AS later_node_hours
  FROM chosen_findings
  WHERE chosen_findings.largest AND chosen_findings.month IN (:earlier, :later)
  GROUP BY chosen_findings.program, chosen_findings.waste
)
SELECT
  compared.program,
  compared.waste,
  compared.earlier_node_hours,
  compared.later_node_hours
FROM compared
ORDER BY
  ABS(compared.later_node_hours - compared.earlier_node_hours) DESC,
  compared.program,
  compared.waste
LIMIT :rows
