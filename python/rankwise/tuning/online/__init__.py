"""Tuning while a program runs: what src/online is told, and what it has found."""
