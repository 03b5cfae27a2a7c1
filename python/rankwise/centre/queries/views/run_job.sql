-- A run, with its job in the accounting; the columns job_... and account are NULL if the accounting has none.
-- (Of a heterogeneous job the first component.)
WITH numbered AS (
  SELECT
    run_in_job.*,
    ROW_NUMBER() OVER (
      PARTITION BY run_in_job.run
      ORDER BY
        CASE WHEN run_in_job.job = run_in_job.leader THEN 0 ELSE 1 END,
        run_in_job.started DESC,
        run_in_job.cluster,
        run_in_job.ended
    ) AS place
  FROM run_in_job
)
SELECT
  runs.*,
  numbered.account,
  numbered.partition AS job_partition,
  numbered.name AS job_name,
  numbered.state AS job_state,
  numbered.started AS job_started,
  numbered.ended AS job_ended,
  numbered.nodes AS job_nodes,
  numbered.node_hours AS job_node_hours
FROM runs
LEFT JOIN numbered ON numbered.run = runs.run AND numbered.place = 1
