"""Calls per MPI procedure."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from rankwise.analysis.calls.totals import JOIN_PROCEDURES, Totals, opening_and_closing_by, totals_by
from rankwise.errors import RankwiseError
from rankwise.records import dataclass

_KEYS = "procedures.name, procedures.class, procedures.id"


@dataclass(frozen=True)
class ProcedureRow:
    """An MPI procedure.

    Attributes:
        ranks: number of ranks that called it.
        call_seconds_min: the shortest single call.
        call_seconds_max: the longest single call.
    """

    procedure: str
    procedure_class: str
    ranks: int
    call_seconds_min: float
    call_seconds_max: float
    totals: Totals


def procedures(connection: sqlite3.Connection) -> list[ProcedureRow]:
    """Return every procedure that was called between MPI_Init and MPI_Finalize, most time first."""
    return _rows(connection, totals_by(connection, _KEYS, JOIN_PROCEDURES, sums="family_sums"))


def opening_and_closing_procedures(connection: sqlite3.Connection) -> list[ProcedureRow]:
    """Return the called procedures of the class "environment", such as MPI_Init, most time first."""
    return _rows(connection, opening_and_closing_by(connection, _KEYS, JOIN_PROCEDURES, sums="family_sums"))


def _rows(connection: sqlite3.Connection, groups: list[tuple[tuple[Any, ...], Totals]]) -> list[ProcedureRow]:
    extremes = {
        procedure: facts
        for procedure, *facts in connection.execute("SELECT procedure, ranks, min, max FROM procedure_sums")
    }
    return [
        ProcedureRow(*(name, class_name, *extremes[procedure], totals))
        for (name, class_name, procedure), totals in groups
    ]


def procedure_ids(connection: sqlite3.Connection, names: Sequence[str]) -> dict[int, str]:
    """Find procedures by name.

    Returns:
        number → name.

    Raises:
        RankwiseError: there is no procedure of such a name.
    """
    known = {name.lower(): (key, name) for key, name in connection.execute("SELECT id, name FROM procedures")}
    procedure_names = {}
    for given in names:
        name = given.strip().lower()
        if f"mpi_{name.removeprefix('mpi_')}" not in known:
            raise RankwiseError(f"there is no MPI procedure {given.strip()!r}: give names such as MPI_Bcast")
        key, name = known[f"mpi_{name.removeprefix('mpi_')}"]
        procedure_names[key] = name
    return procedure_names
