"""The tables of `rankwise show --by ...`, one file each.

A view has two functions: `sections(connection, verbose, limit)`, the tables as text, and `data(connection)`,
all rows with no cut, for `--json`.
"""
