"""Reads the files of the processes of a run: counters, node files, notes."""
