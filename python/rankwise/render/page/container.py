"""The packed data of a page: words as JSON, and columns of numbers. web/src/container.ts unpacks it."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_TYPES = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "i32": np.int32, "f32": np.float32}


class Container:
    """Columns of numbers, which JSON refers to."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def column(self, numbers: ArrayLike, *, ascending: bool = False) -> dict[str, Any]:
        """Add numbers.

        Integers are kept as they are, up to 2^32; others, and larger ones, to 24 bits.

        Args:
            numbers: of any shape, row by row.
            ascending: most are slightly larger than the previous one, so that differences are smaller.

        Returns:
            The reference to them in the JSON.
        """
        flat = np.ravel(np.asarray(numbers))
        kind = _kind(flat)
        typed = flat.astype(_TYPES[kind])
        delta = bool(ascending and kind[0] == "u" and len(typed))
        if delta:
            typed = np.diff(typed, prepend=typed.dtype.type(0))  # modulo the width of the type
        # The first bytes of all numbers, then the second ones, so that similar bytes are adjacent.
        width = typed.dtype.itemsize
        planes = typed.astype(typed.dtype.newbyteorder("<")).view(np.uint8).reshape(-1, width).T
        start = len(self._bytes)
        self._bytes += np.ascontiguousarray(planes).tobytes()
        return {"column": [kind, start, len(typed), int(delta)]}

    def packed(self, report: dict[str, Any]) -> str:
        """Return words and numbers as text: equal data gives equal text."""
        text = json.dumps(report, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
        words = text.encode("utf-8", "backslashreplace")
        whole = len(words).to_bytes(4, "little") + words + bytes(self._bytes)
        return base64.b64encode(gzip.compress(whole, 9, mtime=0)).decode("ascii")


def rounded(values: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Return values with so many significant bits: noise in the others can't be packed."""
    mantissa, exponent = np.frexp(values)
    kept = np.round(np.ldexp(mantissa, bits))
    return np.asarray(np.ldexp(kept, exponent - bits), np.float64)


def _kind(flat: NDArray[Any]) -> str:
    """Return the narrowest type that holds the numbers."""
    whole = not len(flat) or bool(np.isfinite(flat).all() and (flat == np.round(flat)).all())
    low, high = (flat.min(), flat.max()) if len(flat) else (0, 0)
    if not whole or high > np.iinfo(np.uint32).max or low < np.iinfo(np.int32).min:
        return "f32"
    if low < 0:
        return "i32" if high <= np.iinfo(np.int32).max else "f32"
    return "u8" if high <= 0xFF else "u16" if high <= 0xFFFF else "u32"
