"""The only error of this program."""

from __future__ import annotations


class BenchError(Exception):
    """Something could not run; the message says what."""
