"""Writers of exported files: one function a format, (table, connection, path) → the file."""
