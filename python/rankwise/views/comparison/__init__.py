"""Two sides of runs compared, as a view."""
