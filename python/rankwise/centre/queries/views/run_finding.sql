-- A finding of a run, with what identifies the run.
SELECT
  runs.run,
  runs.month,
  runs.cluster,
  runs.job,
  runs.user,
  runs.started,
  runs.program,
  runs.ranks,
  runs.nodes,
  runs.node_hours,
  findings.place,
  findings.rule,
  findings.waste,
  findings.confidence,
  findings.upper_bound,
  findings.saved_percent,
  findings.node_hours AS saved_node_hours,
  findings.title,
  findings.command
FROM findings
JOIN runs ON runs.run = findings.run
