"""Converts the rows of accesses of a process to rows of the profile's table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.clock import Clock
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.rows import Rows, add_up_accesses
from rankwise.profile.join.files import Files
from rankwise.records import dataclass

_RECORDED = np.array([procedure.id for procedure in PROCEDURES], np.int64)

# In the order of the table's primary key, so that the rows come sorted.
_SHIFTS = {"file": 11, "procedure": 0}


@dataclass
class TableRows:
    """Rows ready for the profile.

    Attributes:
        rows: tuples in the order of the table's columns.
        unknown: rows passed over, because their procedure does not exist.
    """

    rows: Iterable[tuple[int | float | str, ...]]
    unknown: int


def accesses_rows(rank: int, rows: Rows, clock: Clock, files: Files) -> TableRows:
    """Make rows of the table `file_accesses` from one process's."""
    procedures = part(rows["key"], "ACCESSES", "PROCEDURE")
    known = np.isin(procedures, _RECORDED)
    unknown = len(rows) - int(known.sum())
    rows = rows[known]
    columns = {
        "file": files.ids_of(rank, part(rows["key"], "ACCESSES", "FILE")),
        "procedure": procedures[known],
    }
    total = add_up_accesses(_with_keys(rows, columns, _SHIFTS))
    parts = _parts(total["key"], _SHIFTS)
    numbers = [total[name].astype(np.int64).tolist() for name in ("accesses", "bytes_read", "bytes_written")]
    ids = [parts[name].tolist() for name in ("file", "procedure")]
    seconds = clock.seconds(total["ticks"]).tolist()
    return TableRows(zip([rank] * len(total), *ids, *numbers, seconds, strict=True), unknown)


def _with_keys(rows: Rows, columns: dict[str, NDArray[np.int64]], shifts: dict[str, int]) -> Rows:
    renamed: Rows = rows.copy()
    keys = np.zeros(len(rows), np.uint64)
    for name, shift in shifts.items():
        keys |= columns[name].astype(np.uint64) << np.uint64(shift)
    renamed["key"] = keys
    return renamed


def _parts(keys: NDArray[np.uint64], shifts: dict[str, int]) -> dict[str, NDArray[np.int64]]:
    """Take keys apart again; the shifts come in descending order."""
    parts: dict[str, NDArray[np.int64]] = {}
    above = 64
    for name, shift in shifts.items():
        mask = np.uint64((1 << (above - shift)) - 1)
        parts[name] = ((keys >> np.uint64(shift)) & mask).astype(np.int64)
        above = shift
    return parts
