"""Findings: problems of a profile with a remedy. One rule per file, and the search that asks them all."""
