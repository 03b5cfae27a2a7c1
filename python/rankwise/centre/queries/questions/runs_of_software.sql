-- A complete run whose configuration ran often with several MPI libraries or kernels.
WITH sides AS (
  SELECT
    chosen.configuration,
    chosen.mpi_library,
    chosen.kernel,
    SUM(chosen.node_hours) AS node_hours
  FROM chosen
  WHERE chosen.complete AND chosen.configuration IS NOT NULL
  GROUP BY chosen.configuration, chosen.mpi_library, chosen.kernel
  HAVING COUNT(*) >= :least_runs
),
configurations AS (
  SELECT sides.configuration, SUM(sides.node_hours) AS node_hours
  FROM sides
  GROUP BY sides.configuration
  HAVING COUNT(DISTINCT sides.mpi_library) >= 2 OR COUNT(DISTINCT NULLIF(sides.kernel, '')) >= 2
  ORDER BY node_hours DESC, sides.configuration
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
    chosen.kernel,
    chosen.started,
    chosen.wall_seconds,
    chosen.profile,
    chosen.run,
    COUNT(*) OVER (PARTITION BY chosen.configuration, chosen.mpi_library, chosen.kernel) AS runs,
    ROW_NUMBER() OVER (
      PARTITION BY chosen.configuration, chosen.mpi_library, chosen.kernel
      ORDER BY chosen.started DESC, chosen.run
    ) AS place
  FROM chosen
  JOIN configurations ON configurations.configuration = chosen.configuration
  WHERE chosen.complete
)
SELECT
  numbered.user,
  numbered.program,
  numbered.arguments,
  numbered.ranks,
  numbered.nodes,
  numbered.mpi_library,
  numbered.kernel,
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
  numbered.kernel,
  numbered.started,
  numbered.run
