"""Tuning while a program runs: the plan for src/online, and its results."""
