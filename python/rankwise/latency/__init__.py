"""Latency and bandwidth between all pairs of ranks: measuring, files, statistics."""
