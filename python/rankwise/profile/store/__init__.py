"""The SQLite file of a run: opening it, and writing what was joined."""
