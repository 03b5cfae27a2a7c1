"""Fabrics read from files of any kind, recognised by their content."""
