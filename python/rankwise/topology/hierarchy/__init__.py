"""The levels of a machine, found from a measurement alone."""
