"""Answers about all runs of a centre, as data."""
