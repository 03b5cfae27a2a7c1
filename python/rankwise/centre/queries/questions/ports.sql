-- A port of a host that was blocked, or counted errors, in a run. Its blocked time is in percent, weighted by seconds.
SELECT
  ports.host,
  ports.port,
  ports.kind,
  COUNT(*) AS runs,
  COUNT(CASE WHEN ports.blocked_percent >= :blocked_percent THEN 1 END) AS blocked_runs,
  SUM(ports.blocked_percent * ports.seconds)
    / NULLIF(SUM(CASE WHEN ports.blocked_percent IS NOT NULL THEN ports.seconds END), 0)
    AS blocked_percent,
  COUNT(CASE WHEN ports.errors > 0 THEN 1 END) AS faulty_runs,
  SUM(ports.errors) AS errors,
  SUM(ports.retransmissions) AS retransmissions
FROM ports
JOIN chosen ON chosen.run = ports.run
WHERE ports.month BETWEEN :first_month AND :last_month
GROUP BY ports.host, ports.port, ports.kind
HAVING
  COUNT(CASE WHEN ports.blocked_percent >= :blocked_percent THEN 1 END) > 0
  OR COUNT(CASE WHEN ports.errors > 0 THEN 1 END) > 0
ORDER BY ports.host, ports.port, ports.kind
