-- A complete run of a configuration (user, program, arguments, ranks, nodes) that several MPI libraries ran often.
WITH sides AS (
  SELECT
    chosen.user,
    chosen.program,
    chosen.arguments,
    chosen.ranks,
    chosen.nodes,
    chosen.mpi_library,
    SUM(chosen.node_hours) AS node_hours
  FROM chosen
  WHERE chosen.complete AND chosen.arguments IS NOT NULL
  GROUP BY
    chosen.user, chosen.program, chosen.arguments, chosen.ranks, chosen.nodes, chosen.mpi_library
  HAVING COUNT(*) >= :least_runs
),
configurations AS (
  SELECT
    sides.user,
    sides.program,
    sides.arguments,
    sides.ranks,
    sides.nodes,
    SUM(sides.node_hours) AS node_hours
  FROM sides
  GROUP BY sides.user, sides.program, sides.arguments, sides.ranks, sides.nodes
  HAVING COUNT(*) >= 2
  ORDER BY node_hours DESC, sides.user, sides.program, sides.arguments, sides.ranks, sides.nodes
  LIMIT :most_configurations
),
numbered AS (
  SELECT
    chosen.user,
    chosen.program,
    chosen.arguments,
    chosen.ranks,
    chosen.nodes,
    chosen.mpi_library,
    chosen.started,
    chosen.wall_seconds,
    chosen.profile,
    chosen.run,
    COUNT(*) OVER (
      PARTITION BY
        chosen.user, chosen.program, chosen.arguments, chosen.ranks, chosen.nodes, chosen.mpi_library
    ) AS runs,
    ROW_NUMBER() OVER (
      PARTITION BY
        chosen.user, chosen.program, chosen.arguments, chosen.ranks, chosen.nodes, chosen.mpi_library
      ORDER BY chosen.started DESC, chosen.run
    ) AS place
  FROM chosen
  JOIN configurations
    ON configurations.user = chosen.user
    AND configurations.program = chosen.program
    AND configurations.arguments = chosen.arguments
    AND configurations.ranks = chosen.ranks
    AND configurations.nodes = chosen.nodes
  WHERE chosen.complete
)
SELECT
  numbered.user,
  numbered.program,
  numbered.arguments,
  numbered.ranks,
  numbered.nodes,
  numbered.mpi_library,
  numbered.runs,
  numbered.started,
  numbered.wall_seconds,
  numbered.profile,
  numbered.run
FROM numbered
WHERE numbered.runs >= :least_runs AND numbered.place <= :most_runs
ORDER BY
  numbered.user,
  numbered.program,
  numbered.arguments,
  numbered.ranks,
  numbered.nodes,
  numbered.mpi_library,
  numbered.started,
  numbered.run
