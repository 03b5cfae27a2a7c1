-- A month, program, user and kind of waste of the chosen runs.
SELECT
  chosen.month,
  chosen.program,
  chosen.user,
  findings.waste,
  COUNT(*) AS runs,
  SUM(findings.node_hours) AS node_hours,
  SUM(CASE WHEN findings.upper_bound THEN findings.node_hours ELSE 0 END) AS bounded_node_hours,
  MAX(findings.node_hours) AS best_node_hours,
  MAX_BY(findings.run, findings.node_hours) AS best_run
FROM findings
JOIN chosen ON chosen.run = findings.run
WHERE findings.largest
  AND findings.month BETWEEN :first_month AND :last_month
GROUP BY chosen.month, chosen.program, chosen.user, findings.waste
