-- A program, user and kind of waste of the chosen runs.
SELECT
  chosen_findings.program,
  chosen_findings.user,
  chosen_findings.waste,
  COUNT(*) AS runs,
  SUM(chosen_findings.node_hours) AS node_hours,
  SUM(CASE WHEN chosen_findings.upper_bound THEN chosen_findings.node_hours ELSE 0 END)
    AS bounded_node_hours,
  MAX(chosen_findings.node_hours) AS best_node_hours,
  MAX_BY(chosen_findings.run, chosen_findings.node_hours) AS best_run
FROM chosen_findings
WHERE chosen_findings.largest
GROUP BY chosen_findings.program, chosen_findings.user, chosen_findings.waste
