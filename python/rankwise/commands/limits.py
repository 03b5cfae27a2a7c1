"""How much of a table is shown."""

from __future__ import annotations

import argparse


def row_limit(text: str) -> int:
    """Return a number of rows, for --limit; 0 shows all."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows; 0 shows all")
    return int(text)
