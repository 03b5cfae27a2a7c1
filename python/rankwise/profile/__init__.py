"""The profile: reading counters, assembling the database, opening it. Nothing here prints."""
