"""Nodes and processors: where ranks ran, how they were bound, what the system counted."""
