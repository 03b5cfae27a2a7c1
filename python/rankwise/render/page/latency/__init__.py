"""The page of a measurement, as `rankwise latency plot` writes it."""
