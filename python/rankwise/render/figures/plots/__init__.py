"""Drawings of what a profile tells: one file each, a function that draws on matplotlib's axes."""
