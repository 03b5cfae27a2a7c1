"""Races of algorithms: the probe runs in place of the program, on the same nodes."""
