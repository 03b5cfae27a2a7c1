"""Static pages about all runs of a computing centre."""
