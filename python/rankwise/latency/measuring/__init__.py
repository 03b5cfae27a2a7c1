"""Measures: starts the probe under the user's launcher, watches it, and puts its files in place."""
