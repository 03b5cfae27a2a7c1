"""Values of rows: what may enter the data set. Profiles and accounting may come from strangers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any

from rankwise.centre.schema import Column, Table, Type

Row = tuple[Any, ...]
"""Values in the order of the table's columns; None = NULL."""

_LONGEST_TEXT = 1000  # characters
_INTEGERS = range(-(1 << 63), 1 << 63)


def checked(table: Table, values: Mapping[str, Any]) -> Row:
    """Return a row of a table.

    Args:
        table: that it is for.
        values: by column; missing ones are NULL. Texts are shortened to 1000 characters.

    Raises:
        ValueError: a value is not of the column's type.
    """
    return tuple(_value(column, values.get(column.name)) for column in table.columns)


def identified(table: Table, row: Row) -> Row:
    """Return a row with the numbers that stand for other columns of it (`Column.identifies`)."""
    values = {column.name: value for column, value in zip(table.columns, row, strict=True)}
    for column in table.columns:
        if column.identifies:
            parts = [values[name] for name in column.identifies]
            values[column.name] = None if None in parts else identity(*parts)
    return tuple(values.values())


def _value(column: Column, value: Any) -> Any:
    if value is None:
        return None
    if column.type is Type.TEXT and isinstance(value, str):
        # (Surrogates stand for bytes that are no UTF-8.)
        return value[:_LONGEST_TEXT].encode(errors="replace").decode()
    if column.type is Type.INTEGER and isinstance(value, int) and value in _INTEGERS:
        return int(value)
    if column.type is Type.REAL and isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    if column.type is Type.YES_NO and isinstance(value, bool | int):
        return bool(value)
    if column.type is Type.INSTANT and isinstance(value, datetime):
        return value
    raise ValueError(f"{str(value)[:40]!r} as {column.name}")


def identity(*parts: object) -> int:
    """Return a number of 64 bits, with sign, that stands for these values."""
    digest = blake2b(repr(parts).encode(errors="surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
