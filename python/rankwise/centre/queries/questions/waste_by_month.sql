-- A month and a kind of waste.
SELECT
  chosen_findings.month,
  chosen_findings.waste,
  SUM(chosen_findings.node_hours) AS node_hours,
  SUM(CASE WHEN chosen_findings.upper_bound THEN chosen_findings.node_hours ELSE 0 END)
    AS bounded_node_hours
FROM chosen_findings
WHERE chosen_findings.largest
GROUP BY chosen_findings.month, chosen_findings.waste
ORDER BY chosen_findings.month, chosen_findings.waste
