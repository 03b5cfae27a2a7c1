"""Which algorithm the MPI library chose for each shape of a collective."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rankwise.analysis.collectives.patterns import Algorithm, AlgorithmFamily, algorithm_families, algorithms
from rankwise.text.empty import NO_COLLECTIVES
from rankwise.text.units import byte_text, count_text
from rankwise.views.by.collective import CALLED, CALLED_ON_FAMILY
from rankwise.views.view import (
    BYTES,
    COUNT,
    FIGURES,
    NUMBER,
    SECONDS,
    TEXT,
    Column,
    Detail,
    Table,
    View,
    number,
)

_TIME: Column[Any] = number(
    "time",
    lambda row: row.seconds,
    SECONDS,
    "summed over ranks, distributed over the shapes of a collective by calls and size",
)
_ALGORITHM: Column[Any] = Column(
    "algorithm",
    lambda row: _algorithm(row),
    TEXT,
    "that sends these messages, or why it is unknown",
    obvious=True,
    note=lambda row: _note(row),
)
_COLUMNS: list[Column[Algorithm]] = [
    *CALLED,
    Column("ranks", lambda row: row.processes, NUMBER, "of the communicator", key=True),
    Column("root", lambda row: row.root, NUMBER, "rank in the communicator", obvious=True, key=True),
    Column("size", lambda row: _size(row), FIGURES, "of the message, as in --by size", key=True),
    Column("calls", lambda row: row.calls, COUNT, "of one process"),
    Column("msgs", lambda row: row.messages, COUNT, "inside one call"),
    Column("bytes", lambda row: row.bytes, BYTES, "of the messages inside one call", obvious=True),
    _TIME,
    _ALGORITHM,
]
_FAMILY_COLUMNS: list[Column[AlgorithmFamily]] = [
    *(replace(column, key=True) for column in CALLED_ON_FAMILY),
    Column("message", lambda row: _sizes(row), FIGURES, "smallest and largest, as in --by size", key=True),
    Column("calls", lambda row: row.calls, COUNT, "of one process"),
    _TIME,
    _ALGORITHM,
]
_EXACT = "~: identified by the messages only, not by their bytes."


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return a row for each collective, family and algorithm, in verbose answers each size and root."""
    rows = algorithms(connection)
    together = algorithm_families(rows)
    tables = [
        Table(_FAMILY_COLUMNS, together, NO_COLLECTIVES, notes=[_EXACT], detail=Detail.BRIEF),
        Table(_COLUMNS, rows, NO_COLLECTIVES, notes=[_EXACT], detail=Detail.VERBOSE),
    ]
    return View(_title(rows), tables, {"algorithms": rows, "algorithm_families": together})


def _title(rows: Sequence[Algorithm]) -> str:
    known = sum(row.algorithm is not None for row in rows)
    shapes = f"{count_text(len(rows))} shape{'s' * (len(rows) != 1)} of collectives"
    return f"The algorithms of {count_text(known)} of {shapes} are known" if rows else ""


def _size(row: Algorithm) -> str | None:
    if row.pattern is None:
        return None
    return "varies" if row.size is None else byte_text(row.size)


def _sizes(row: AlgorithmFamily) -> str | None:
    if row.least is None or row.most is None:
        return "varies" if row.varies else None
    least, most = byte_text(row.least), byte_text(row.most)
    if least == most:
        return least
    number, unit = least.split()
    return f"{number if unit == most.split()[1] else least}-{most}"


def _algorithm(row: Algorithm | AlgorithmFamily) -> str:
    if row.algorithm is not None:
        return "~" * (not row.exact) + row.algorithm
    return row.text.partition(":")[0]


def _note(row: Algorithm | AlgorithmFamily) -> str:
    if row.algorithm is not None:
        return f"or {'; or '.join(row.also)}: they send the same messages" if row.also else ""
    return row.text if ":" in row.text else ""
