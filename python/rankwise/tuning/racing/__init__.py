"""Races of algorithms: the probe runs in the program's place, on the same nodes."""
