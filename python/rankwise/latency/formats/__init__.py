"""File formats of measurements: Rankwise's own, and those of other tools."""
