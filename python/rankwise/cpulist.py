"""Lists of processors as Linux writes them: ``0-3,8``."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MOST = 1 << 16  # processors of a node: a damaged file must not fill the memory


def cpu_list(text: str) -> tuple[int, ...]:
    """Return the numbers that a list such as ``0-3,8`` holds, ascending; none for an empty text.

    Raises:
        ValueError: it is no such list.
    """
    numbers: set[int] = set()
    for part in text.split(",") if text else ():
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part, re.ASCII)
        if not match:
            raise ValueError(text)
        low, high = int(match[1]), int(match[2] or match[1])
        if not low <= high < _MOST:
            raise ValueError(text)
        numbers.update(range(low, high + 1))
    return tuple(sorted(numbers))


def cpu_text(cpus: Iterable[int]) -> str:
    """Return the numbers as a list such as ``0-3,8``."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(f"{low}-{high}" if high > low else str(low) for low, high in runs)
