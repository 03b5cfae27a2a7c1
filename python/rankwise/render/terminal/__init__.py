"""Output on a terminal, or in a file or pipe instead."""
