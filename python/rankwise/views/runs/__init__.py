"""Tables and sentences about many runs, as data."""
