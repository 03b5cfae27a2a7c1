"""Formats of fabrics, one file each, with `READERS` and `WORDS`.

docs/adding-a-fabric-format.md says how to add a format.
"""
