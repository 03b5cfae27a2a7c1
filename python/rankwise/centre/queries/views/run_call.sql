-- An MPI procedure on a family of communicators of a run, with what identifies the run.
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
  calls.family,
  calls.procedure,
  calls.calls,
  calls.bytes_sent,
  calls.bytes_received,
  calls.seconds
FROM calls
JOIN runs ON runs.run = calls.run
