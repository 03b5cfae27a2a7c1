-- A host of a run, with what identifies the run.
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
  hosts.host,
  hosts.ranks AS host_ranks,
  hosts.outside_seconds,
  hosts.slower_percent,
  hosts.mpi_seconds AS host_mpi_seconds,
  hosts.bytes_on_node AS host_bytes_on_node,
  hosts.bytes_off_node AS host_bytes_off_node,
  hosts.caused_seconds
FROM hosts
JOIN runs ON runs.run = hosts.run
