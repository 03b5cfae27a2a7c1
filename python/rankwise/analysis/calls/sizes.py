"""Calls by the size of their data."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.bins import bin_range
from rankwise.analysis.calls.totals import JOIN_PROCEDURES, Totals, totals_by
from rankwise.records import dataclass


@dataclass(frozen=True)
class SizeRow:
    """The calls of a size bin.

    Attributes:
        size_bin: number of the bin in the profile.
        size_low: smallest size in bytes that the bin holds; None for "other".
        size_high: largest size in bytes.
        procedure: the procedure; in the table over all procedures, the procedure with the most time in MPI.
    """

    size_bin: int
    size_low: int | None
    size_high: int | None
    procedure: str
    totals: Totals


def sizes(connection: sqlite3.Connection) -> list[SizeRow]:
    """Return every size bin in use, most time in MPI first, with its main procedure."""
    top: dict[int, str] = {}
    for row in sizes_by_procedure(connection):
        top.setdefault(row.size_bin, row.procedure)
    return [
        SizeRow(size_bin, *bin_range(size_bin), top[size_bin], totals)
        for (size_bin,), totals in totals_by(connection, "size_bin", sums="family_sums")
    ]


def sizes_by_procedure(connection: sqlite3.Connection) -> list[SizeRow]:
    """Return every pair of size bin and procedure in use, most time in MPI first."""
    return [
        SizeRow(size_bin, *bin_range(size_bin), name, totals)
        for (size_bin, name), totals in totals_by(
            connection, "size_bin, procedures.name", JOIN_PROCEDURES, sums="family_sums"
        )
    ]
