-- A family of communicators of a run, with what identifies the run.
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
  families.family,
  families.user_name,
  families.communicators,
  families.least_size,
  families.most_size,
  families.calls,
  families.bytes_sent,
  families.seconds
FROM families
JOIN runs ON runs.run = families.run
