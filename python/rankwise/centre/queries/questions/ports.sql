-- A port of a host that was blocked, or counted errors, in a run. Its blocked time is in percent, weighted by seconds.
SELECT
  chosen_ports.host,
  chosen_ports.port,
  chosen_ports.kind,
  COUNT(*) AS runs,
  COUNT(CASE WHEN chosen_ports.blocked_percent >= :blocked_percent THEN 1 END) AS blocked_runs,
  SUM(chosen_ports.blocked_percent * chosen_ports.seconds)
    / NULLIF(SUM(CASE WHEN chosen_ports.blocked_percent IS NOT NULL THEN chosen_ports.seconds END), 0)
    AS blocked_percent,
  COUNT(CASE WHEN chosen_ports.errors > 0 THEN 1 END) AS faulty_runs,
  SUM(chosen_ports.errors) AS errors,
  SUM(chosen_ports.retransmissions) AS retransmissions
FROM chosen_ports
GROUP BY chosen_ports.host, chosen_ports.port, chosen_ports.kind
HAVING
  COUNT(CASE WHEN chosen_ports.blocked_percent >= :blocked_percent THEN 1 END) > 0
  OR COUNT(CASE WHEN chosen_ports.errors > 0 THEN 1 END) > 0
ORDER BY chosen_ports.host, chosen_ports.port, chosen_ports.kind
