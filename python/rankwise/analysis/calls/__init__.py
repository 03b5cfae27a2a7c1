"""Calls and their sums: by procedure, communicator, size, rank, region, call site, file."""
