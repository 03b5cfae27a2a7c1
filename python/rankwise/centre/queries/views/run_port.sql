-- A network port of a host of a run, with what identifies the run.
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
  ports.host,
  ports.port,
  ports.kind,
  ports.seconds,
  ports.sent_bytes,
  ports.received_bytes,
  ports.blocked_percent,
  ports.errors,
  ports.retransmissions,
  ports.congestion_marks
FROM ports
JOIN runs ON runs.run = ports.run
