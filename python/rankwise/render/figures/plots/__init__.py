"""Drawings of a profile: one file each, a function that draws on matplotlib's axes."""
