"""Calls per MPI procedure."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from rankwise.analysis.counted import JOIN_PROCEDURES, Counted, counted_by


@dataclass(frozen=True)
class ProcedureRow:
    """One MPI procedure.

    Attributes:
        ranks: how many ranks called it.
        call_seconds_min: the shortest single call.
        call_seconds_max: the longest single call.
    """

    procedure: str
    procedure_class: str
    ranks: int
    call_seconds_min: float
    call_seconds_max: float
    counted: Counted


def procedures(connection: sqlite3.Connection) -> list[ProcedureRow]:
    """Return every procedure that was called, most time in MPI first; MPI_Init and MPI_Finalize last."""
    extremes = {
        procedure: facts
        for procedure, *facts in connection.execute(
            "SELECT procedure, COUNT(DISTINCT rank), MIN(min), MAX(max) FROM calls GROUP BY procedure"
        )
    }
    return [
        ProcedureRow(*(name, class_name, *extremes[procedure], counted))
        for (name, class_name, procedure), counted in counted_by(
            connection, "procedures.name, procedures.class, procedures.id", JOIN_PROCEDURES
        )
    ]
