"""librankwise_placement.so for Python: the placement engine, what it shares with programs, files of fabrics.

Its public headers, parsed by `make generate`, say what there is: one description for C and for Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._files import installed
from rankwise.native_declarations import ffi

_MOST_PROBLEM = 4096


class Arguments:
    """Arrays and structures for calls of the library, which live as long as this object.

    Attributes:
        ffi: knows the types of the headers.
        library: has their functions.
    """

    def __init__(self) -> None:
        self.ffi, self.library = _loaded()
        self._kept: list[Any] = []

    def new(self, kind: str, initial: Any = None) -> Any:
        """Return a new structure or array, all 0 or with initial values: `struct ... *`."""
        self._kept.append(self.ffi.new(kind, initial))
        return self._kept[-1]

    def pointer(self, values: ArrayLike | None, kind: type, pointer: str, count: int | None = None) -> Any:
        """Return a pointer to numbers; NULL for None.

        Args:
            values: the numbers.
            kind: NumPy's type.
            pointer: the same in C, such as `int32_t *`.
            count: how many there must be; None: any number.

        Raises:
            ValueError: there are more or fewer.
        """
        if values is None:
            return self.ffi.NULL
        array: NDArray[Any] = np.ascontiguousarray(values, dtype=kind).ravel()
        if count is not None and array.size != count:
            raise ValueError(f"{array.size} values where {count} belong")
        self._kept.append(array)
        return self.ffi.cast(pointer, array.ctypes.data)

    def texts(self, texts: Iterable[str]) -> Any:
        """Return an array of texts; one with a 0 in it ends there."""
        return self.new("char *[]", [self.new("char[]", text.encode(errors="replace")) for text in texts])

    def problem(self) -> Any:
        """Return room for a line that says what is wrong."""
        return self.new(f"char[{_MOST_PROBLEM}]")

    def said(self, text: Any) -> str:
        """Return a text of the library."""
        decoded: str = self.ffi.string(text).decode(errors="replace")
        return decoded


@cache
def _loaded() -> tuple[Any, Any]:
    return ffi, ffi.dlopen(str(installed("lib/librankwise_placement.so.0")))
