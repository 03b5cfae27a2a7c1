"""The short tables of a summary: communicators and calls, those rows that matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from rankwise.analysis.calls.families import Family
from rankwise.analysis.calls.procedures import ProcedureRow
from rankwise.text.names import call_name, name_and_role, operation_name, size_name
from rankwise.views.totals_columns import CALLS, OF_MPI, OF_RUN, SENT, TIME, HasTotals
from rankwise.views.view import FIGURES, Column, label

Row = TypeVar("Row", bound=HasTotals)

_FEW_ROWS = 3  # that are always shown
_NEARLY_ALL = 0.95  # of the time and of the bytes: the share of the rows that a table shows
_WEIGHT_OF_BYTES = 0.25  # of a share of the bytes; a share of the time has 1

COMMUNICATORS: list[Column[Family]] = [
    label("communicator", name_and_role, "ancestry"),
    label("n x size", size_name, "communicators and their processes", kind=FIGURES),
    CALLS,
    SENT,
    OF_MPI,
    label("top operation", lambda row: operation_name(row.top_operation), "procedure and size"),
]
CALLS_OF_RUN: list[Column[ProcedureRow]] = [
    label("call", lambda row: call_name(row.procedure), "MPI procedure"),
    CALLS,
    SENT,
    TIME,
    OF_MPI,
    OF_RUN,
]


def by_share(rows: Sequence[Row], lines: int) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the rows that have nearly all of the time and of the bytes, and the rest, both in their order.

    Those with the largest shares are taken, until the rest takes no more time than any that is taken for it.

    Args:
        rows: all.
        lines: the most that there are, one of them for "others" if any are left.
    """
    seconds = sum(row.totals.seconds for row in rows) or 1.0
    volume = sum(row.totals.bytes_sent for row in rows) or 1
    time = [row.totals.seconds / seconds for row in rows]
    sent = [row.totals.bytes_sent / volume for row in rows]
    # Time comes first, but calls that take no time often send the bytes: MPI_Isend and similar calls.
    weight = [max(time_share, _WEIGHT_OF_BYTES * other) for time_share, other in zip(time, sent, strict=True)]
    order = sorted(range(len(rows)), key=lambda index: -weight[index])
    most = len(rows) if len(rows) <= lines else max(lines - 1, 1)
    number = min(_FEW_ROWS, most)
    while number < most:
        hidden = order[number:]
        time_left, sent_left = (sum(shares[index] for index in hidden) for shares in (time, sent))
        least = min((time[index] for index in order[:number] if weight[index] == time[index]), default=1.0)
        if time_left <= min(1 - _NEARLY_ALL, least) and sent_left <= 1 - _NEARLY_ALL:
            break
        number += 1
    if number == len(rows) - 1 < lines:  # a row takes no more room than "1 other"
        number += 1
    shown = set(order[:number])
    return (
        [row for index, row in enumerate(rows) if index in shown],
        [row for index, row in enumerate(rows) if index not in shown],
    )
