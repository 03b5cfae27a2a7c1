"""Finds the cause of a hang: the wait-for graph, and its ends."""
