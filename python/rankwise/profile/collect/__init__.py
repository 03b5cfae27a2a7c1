"""Reads what the processes of a run have left: counters, node files, notes."""
