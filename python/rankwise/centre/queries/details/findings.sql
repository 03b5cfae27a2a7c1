-- A finding of some runs, in the order of `rankwise explain`.
SELECT
  run_finding.run,
  run_finding.place,
  run_finding.rule,
  run_finding.waste,
  run_finding.confidence,
  run_finding.upper_bound,
  run_finding.saved_percent,
  run_finding.saved_node_hours,
  run_finding.title,
  run_finding.command
FROM run_finding
WHERE run_finding.run IN (:runs)
  AND run_finding.month BETWEEN :first_month AND :last_month
  AND (:user = '' OR run_finding.user = :user)
ORDER BY run_finding.run, run_finding.place
