-- A program and a kind of waste in two months, the largest change first.
WITH compared AS (
  SELECT
    wasted.program,
    wasted.waste,
    SUM(CASE WHEN wasted.month = :earlier THEN wasted.node_hours ELSE 0 END) AS earlier_node_hours,
    SUM(CASE WHEN wasted.month = :later THEN wasted.node_hours ELSE 0 END) AS later_node_hours
  FROM wasted
  WHERE wasted.month IN (:earlier, :later)
  GROUP BY wasted.program, wasted.waste
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
