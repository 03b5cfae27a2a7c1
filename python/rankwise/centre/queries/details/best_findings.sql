-- What such a run promises to save, the most of each kind.
SELECT
  findings.run,
  findings.waste,
  findings.upper_bound,
  findings.title,
  findings.command
FROM findings
WHERE findings.largest
  AND findings.run IN (:runs)
  AND findings.month IN (:months)
