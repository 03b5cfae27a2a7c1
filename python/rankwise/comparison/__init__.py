"""Comparison of two sides, each one or more runs: increases, decreases and noise. Nothing here prints."""
