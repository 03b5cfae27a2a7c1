"""Placement of ranks: those that communicate much should be near each other."""
