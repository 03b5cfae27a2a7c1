"""Measurements of latency and bandwidth, for the terminal and as JSON."""
