-- A host in runs with three or more hosts: how often, and by how much, its ranks computed longer than the others'.
WITH bins AS (
  SELECT
    chosen_hosts.host,
    CAST(FLOOR(LEAST(chosen_hosts.slower_percent, 1000) + 0.5) AS BIGINT) AS percent,
    COUNT(*) AS runs,
    COUNT(CASE WHEN chosen_hosts.slower_percent > 0 THEN 1 END) AS slow_runs,
    COALESCE(SUM(chosen_hosts.caused_node_hours), 0) AS caused_node_hours
  FROM chosen_hosts
  WHERE chosen_hosts.slower_percent IS NOT NULL
  GROUP BY chosen_hosts.host, CAST(FLOOR(LEAST(chosen_hosts.slower_percent, 1000) + 0.5) AS BIGINT)
),
summed AS (
  SELECT
    bins.host,
    bins.percent,
    bins.runs,
    bins.slow_runs,
    bins.caused_node_hours,
    SUM(bins.runs) OVER (
      PARTITION BY bins.host ORDER BY bins.percent ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS up_to,
    SUM(bins.runs) OVER (PARTITION BY bins.host) AS of_all
  FROM bins
)
SELECT
  summed.host,
  SUM(summed.runs) AS runs,
  SUM(summed.slow_runs) AS slow_runs,
  MIN(CASE WHEN 2 * summed.up_to >= summed.of_all THEN summed.percent END) AS slower_percent,
  SUM(summed.caused_node_hours) AS caused_node_hours
FROM summed
GROUP BY summed.host
ORDER BY summed.host
