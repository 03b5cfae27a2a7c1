"""Message sizes as arguments: 64, 4k, 1M."""

from __future__ import annotations

import argparse

from rankwise.errors import RankwiseError
from rankwise.latency.sizes import size_of

_LARGEST = 1 << 30


def message_size(text: str) -> int:
    """Return a size in bytes; ArgumentTypeError if it is none."""
    try:
        return size_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def listed_sizes(text: str) -> list[int]:
    """Return the sizes of a list, ascending.

    Raises:
        RankwiseError: one is none, is given twice, or is out of range.
    """
    sizes: list[int] = []
    for word in text.split(","):
        try:
            size = size_of(word)
        except ValueError as error:
            raise RankwiseError(f"--sizes {text}: {error}") from None
        if not 1 <= size <= _LARGEST:
            raise RankwiseError(f"--sizes {text}: {word.strip()} is out of range: give 1 B to 1 GiB")
        if size in sizes:
            raise RankwiseError(f"--sizes {text}: {word.strip()} is given twice: leave one out")
        sizes.append(size)
    return sorted(sizes)
