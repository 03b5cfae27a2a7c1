"""Size bins, and the sizes that they hold."""

from __future__ import annotations

OTHER = 127
_LAST = 64


def bin_range(size_bin: int) -> tuple[int | None, int | None]:
    """Return smallest and largest size in bytes that the bin holds; (None, None) for the bin "other"."""
    if size_bin == OTHER:
        return None, None
    if size_bin == 0:
        return 0, 0
    if not 0 < size_bin <= _LAST:
        raise ValueError(f"there is no size bin {size_bin}")
    return 2 ** (size_bin - 1), 2**size_bin - 1
