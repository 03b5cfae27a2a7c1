"""The columns that every table of calls has, with the same heads everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rankwise.analysis.counted import Counted
from rankwise.report.terminal.tables import TextColumn, number
from rankwise.report.units import byte_text, count_text, percent_text, second_text

UNFINISHED = "+"
"""Marks a time that holds calls which never returned."""


class HasCounted(Protocol):
    """A row with sums over calls."""

    @property
    def counted(self) -> Counted:
        """Return the sums."""


def _volume(size: float) -> str:
    """Return a dash for nothing, which is all that most calls send: the volumes there are stand out."""
    return byte_text(size) if size else "-"


def _share(share: float) -> str:
    """Return a dash for nothing: MPI_Init and MPI_Finalize take time, but have no share in the others'."""
    return percent_text(share) if share else "-"


def time_text(counted: Counted) -> str:
    """Return the time, with a mark where calls are in it that never returned."""
    return second_text(counted.seconds) + UNFINISHED * bool(counted.unfinished)


CALLS: TextColumn[HasCounted] = number("calls", lambda row: row.counted.calls, count_text)
SENT: TextColumn[HasCounted] = number("sent", lambda row: row.counted.bytes_sent, _volume)
RECEIVED: TextColumn[HasCounted] = number("received", lambda row: row.counted.bytes_received, _volume)
TIME: TextColumn[HasCounted] = TextColumn(
    "time (sum)",
    lambda row: time_text(row.counted),
    lambda rows: time_text(sum((row.counted for row in rows), Counted())),
    right=True,
)
OF_MPI: TextColumn[HasCounted] = number("% of MPI", lambda row: row.counted.percent_of_mpi, _share)
OF_RUN: TextColumn[HasCounted] = number("% of run", lambda row: row.counted.percent_of_run, _share)

OF_MPI_MEANING = "of all ranks' time in MPI, MPI_Init and MPI_Finalize not included"
OF_RUN_MEANING = "of all ranks' time between MPI_Init and MPI_Finalize, times their threads that call MPI"
_MEANINGS = {
    SENT.head: "bytes sent; for collectives, contributed; to files, written",
    RECEIVED.head: "by point-to-point and one-sided calls; from files, read",
    TIME.head: f"over all ranks; {UNFINISHED}: with calls that never returned, up to the end of their ranks",
    OF_MPI.head: OF_MPI_MEANING,
    OF_RUN.head: OF_RUN_MEANING,
}


_COUNTED = (CALLS, SENT, RECEIVED, TIME, OF_MPI, OF_RUN)


@dataclass(frozen=True)
class _Apart:
    counted: Counted


def apart_line(columns: Sequence[TextColumn[Any]], counted: Counted) -> list[list[str]]:
    """Return the line for MPI_Init and MPI_Finalize below a table; none if nobody called them."""
    cells = [column.cell(_Apart(counted)) if column in _COUNTED else "" for column in columns]
    return [["Init, Finalize", *cells[1:]]] if counted.calls else []


def how_to_read(columns: Sequence[TextColumn[Any]]) -> str:
    """Return what the heads of these columns mean, in one paragraph."""
    return " ".join(
        f"{column.head}: {_MEANINGS[column.head]}." for column in columns if column.head in _MEANINGS
    )
