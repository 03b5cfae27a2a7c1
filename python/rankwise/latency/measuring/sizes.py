"""The list of message sizes that a user asks for."""

from __future__ import annotations

from rankwise.errors import RankwiseError
from rankwise.latency.sizes import size_of

LARGEST = 1 << 30
MOST = 64


def parse(text: str) -> tuple[int, ...]:
    """Return the sizes of a list such as `64,4k,1MiB`, in bytes.

    Raises:
        RankwiseError: one is no size, is given twice, or is above 1 GiB, or there are too many.
    """
    sizes: list[int] = []
    for word in text.split(","):
        try:
            size = size_of(word)
        except ValueError as error:
            raise RankwiseError(f"--sizes {text}: {error}") from None
        if size > LARGEST:
            raise RankwiseError(f"--sizes {text}: {word} is too large; at most 1G")
        if size in sizes:
            raise RankwiseError(f"--sizes {text}: {word} is given twice; leave one out")
        sizes.append(size)
    if len(sizes) > MOST:
        raise RankwiseError(f"--sizes: {len(sizes)} are too many; at most {MOST}")
    return tuple(sizes)
