"""Formats of fabrics, one file each, with `READERS` and `WORDS`.

docs/develop/adding-a-fabric-format.md says how to add a format.
"""
