"""A message size as an argument: 64, 4k, 1M."""

from __future__ import annotations

import argparse

from rankwise.latency.sizes import size_of


def message_size(text: str) -> int:
    """Return a size in bytes; ArgumentTypeError if it is none."""
    try:
        return size_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
