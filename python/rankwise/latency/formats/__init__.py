"""The files that measurements are kept in: Rankwise's own, and those of other tools."""
