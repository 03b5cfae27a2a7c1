-- A tag of a run, with what identifies the run.
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
  tags.name,
  tags.value
FROM tags
JOIN runs ON runs.run = tags.run
