"""The SQLite file of a run: opening it, and writing the joined rows."""
