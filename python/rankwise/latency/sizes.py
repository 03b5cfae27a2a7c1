"""Message sizes as people write them: ``64``, ``4k``, ``1MiB``."""

from __future__ import annotations

import re

_SIZE = re.compile(r"(\d{1,18})(?:([kmg])(?:i?b)?|b)?", re.IGNORECASE | re.ASCII)
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def size_of(word: str) -> int:
    """Return a size in bytes; k, M and G are powers of 1024.

    Raises:
        ValueError: it is no size.
    """
    match = _SIZE.fullmatch(word.strip())
    if not match:
        raise ValueError(f"{word.strip()!r} is not a size in bytes, such as 64, 4k or 1M")
    return int(match[1]) * _FACTORS[(match[2] or "").lower()]
