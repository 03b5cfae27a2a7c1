"""The columns that every table of calls has, with the same names and meanings everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from rankwise.analysis.calls.spread import Spread
from rankwise.analysis.calls.totals import Totals
from rankwise.records import dataclass
from rankwise.text.units import percent_text
from rankwise.views.view import (
    COUNT,
    RATIO,
    SECONDS,
    SHARE,
    VOLUME,
    Cell,
    Column,
    Format,
    Line,
    Value,
    number,
)

Row = TypeVar("Row")

UNFINISHED = "+"
"""Marks a time that holds calls which never returned."""


class HasTotals(Protocol):
    """A row with sums over calls."""

    @property
    def totals(self) -> Totals:
        """Return the sums."""


def unfinished_mark(row: HasTotals) -> str:
    """Return the mark of a time with calls that never returned."""
    return UNFINISHED * bool(row.totals.unfinished)


# (In a part of the run, the ranks are the selected ones, and the total is that of the part.)
OF_MPI_MEANING = "of the total time in MPI, without MPI_Init and MPI_Finalize"
OF_RUN_MEANING = "of the ranks' time between MPI_Init and MPI_Finalize, times their threads that call MPI"

CALLS: Column[HasTotals] = number(
    "calls", lambda row: row.totals.calls, COUNT, "number of calls, summed over ranks", obvious=True
)
SENT: Column[HasTotals] = number(
    "sent",
    lambda row: row.totals.bytes_sent,
    VOLUME,
    "bytes sent; for collectives, contributed; to files, written",
)
RECEIVED: Column[HasTotals] = number(
    "received",
    lambda row: row.totals.bytes_received,
    VOLUME,
    "by point-to-point and one-sided calls; from files, read",
)
TIME: Column[HasTotals] = Column(
    "time (sum)",
    lambda row: row.totals.seconds,
    SECONDS,
    f"summed over ranks; {UNFINISHED}: including calls that never returned, up to the end of their ranks",
    total=lambda rows: sum(row.totals.seconds for row in rows),
    mark=unfinished_mark,
)
OF_MPI: Column[HasTotals] = number("% of MPI", lambda row: row.totals.percent_of_mpi, SHARE, OF_MPI_MEANING)
OF_RUN: Column[HasTotals] = number("% of run", lambda row: row.totals.percent_of_run, SHARE, OF_RUN_MEANING)

PER_CALL: Column[HasTotals] = Column(
    "per call",
    lambda row: _per_call([row]),
    SECONDS,
    "mean time of a call",
    total=lambda rows: _per_call(rows),
)

_TOTALS = (CALLS, SENT, RECEIVED, TIME, OF_MPI, OF_RUN)


def _per_call(rows: Sequence[HasTotals]) -> float | None:
    calls = sum(row.totals.calls + row.totals.unfinished for row in rows)
    return sum(row.totals.seconds for row in rows) / calls if calls else None


def over_ranks_columns(spread_of: Callable[[Row], Spread | None], whose: str) -> list[Column[Row]]:
    """Return columns for how evenly ranks share the time: mean, the extremes and whose they are, imbalance.

    Args:
        spread_of: row → its seconds over the ranks; None without calls.
        whose: the ranks of the part, for the meaning of the columns.
    """

    def column(
        name: str,
        value: Callable[[Spread], Value],
        kind: Format,
        meaning: str,
        rank: Callable[[Spread], int] | None = None,
    ) -> Column[Row]:
        def of_row(row: Row) -> Value:
            each = spread_of(row)
            return None if each is None else value(each)

        def mark(row: Row) -> str:
            each = spread_of(row)
            return "" if each is None or rank is None else f" ({rank(each)})"

        return Column(name, of_row, kind, meaning, mark=mark)

    extremes = "minimum and maximum time of a rank, and its number"
    return [
        column("per rank", lambda each: each.average, SECONDS, f"mean time of {whose} in all these calls"),
        column("min (rank)", lambda each: each.minimum, SECONDS, extremes, lambda each: each.minimum_rank),
        column("max (rank)", lambda each: each.maximum, SECONDS, extremes, lambda each: each.maximum_rank),
        column("imbalance", lambda each: each.imbalance, RATIO, "max / mean; 1.00: all ranks are equal"),
    ]


@dataclass(frozen=True)
class _Apart:
    totals: Totals


def apart_line(columns: Sequence[Column[Any]], totals: Totals) -> list[Line]:
    """Return the line for MPI_Init and MPI_Finalize below a table; none without such calls."""
    if not totals.calls:
        return []
    values = [column.value for column in _TOTALS]  # a column may have another name in this table
    cells = {column.name: column.cell(_Apart(totals)) for column in columns if column.value in values}
    return [{columns[0].name: Cell("Init, Finalize"), **cells}]


def share_of_mpi(what: str, totals: Totals, takes: str = "takes", time: str = "time in MPI") -> str:
    """Return the finding that a row takes its share of the time in MPI, or of some calls' time."""
    return f"{what} {takes} {percent_text(totals.percent_of_mpi)} % of the {time}"
