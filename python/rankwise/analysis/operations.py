"""What a communicator is used for most: one procedure at one size."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from rankwise.analysis.bins import bin_range
from rankwise.analysis.counted import JOIN_COMMUNICATORS, JOIN_PROCEDURES, counted_by


@dataclass(frozen=True)
class Operation:
    """A procedure at one size bin, with its time in seconds summed over the ranks."""

    procedure: str
    size_bin: int
    size_low: int | None
    size_high: int | None
    seconds: float


def top_operations(connection: sqlite3.Connection, key: str) -> dict[Any, Operation]:
    """Return the operation of the most time in MPI for each value of `key`, a column of `communicators`."""
    top: dict[Any, Operation] = {}
    for (value, name, size_bin), counted in counted_by(
        connection,
        f"communicators.{key}, procedures.name, size_bin",
        f"{JOIN_COMMUNICATORS} {JOIN_PROCEDURES}",
    ):
        if value not in top:
            top[value] = Operation(name, size_bin, *bin_range(size_bin), counted.seconds)
    return top
