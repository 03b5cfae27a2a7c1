"""The main operation on a communicator: one procedure at one size."""

from __future__ import annotations

import sqlite3
from typing import Any

from rankwise.analysis.calls.bins import bin_range
from rankwise.analysis.calls.totals import JOIN_PROCEDURES, totals_by
from rankwise.records import dataclass


@dataclass(frozen=True)
class Operation:
    """A procedure at one size bin, with its time in seconds summed over all ranks."""

    procedure: str
    size_bin: int
    size_low: int | None
    size_high: int | None
    seconds: float


def top_operations(connection: sqlite3.Connection, *, by_communicator: bool = False) -> dict[Any, Operation]:
    """Return the operation with the most time in MPI for each family of communicators, or each communicator.

    Returns:
        By the name of the family, or the communicator's id.
    """
    key, sums = ("communicator", "calls") if by_communicator else ("family", "family_sums")
    top: dict[Any, Operation] = {}
    for (value, name, size_bin), totals in totals_by(
        connection, f"calls.{key}, procedures.name, size_bin", JOIN_PROCEDURES, sums=sums
    ):
        if value not in top:
            top[value] = Operation(name, size_bin, *bin_range(size_bin), totals.seconds)
    return top
