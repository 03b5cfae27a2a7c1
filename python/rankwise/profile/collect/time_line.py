"""The time line of a process: its activity in intervals of equal width.

Each thread has one (src/runtime/time_line.h). Widths are powers of two of ticks, and intervals begin at their
multiples, so time lines by the same clock are made equal by merging neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.keys import part
from rankwise.profile.collect.layout import CONSTANTS, INTERVAL
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.rows import Rows
from rankwise.records import dataclass

assert INTERVAL.names
COLUMNS: tuple[str, ...] = INTERVAL.names
"""Counts of an interval: ticks in MPI, bytes sent and received, messages, calls."""

MOST = 2 * CONSTANTS["MOST_INTERVALS"]
"""Intervals of a process, whose threads may have begun at different times."""

_WIDEST = 56
_MOST_SUM = 2**62
_IN_COLLECTIVE = CONSTANTS["MESSAGE_IN_COLLECTIVE"]

BETWEEN = np.ones(1 << CONSTANTS["CALLS_PROCEDURE_BITS"], bool)
"""By number of a procedure: whether it is called between MPI_Init and MPI_Finalize."""
BETWEEN[[procedure.id for procedure in PROCEDURES if procedure.class_name == "environment"]] = False

OfThreads = Sequence[tuple[int, Rows]]
"""Records, and the thread that each lot of them is of."""


@dataclass(frozen=True)
class TimeLine:
    """The activity of a process in intervals of equal width.

    Attributes:
        shift: the width is 2^shift ticks.
        first: number of the first interval: it begins at first * 2^shift ticks.
        sums: one row an interval, one column for each of COLUMNS.
    """

    shift: int
    first: int
    sums: NDArray[np.int64]

    def with_shift(self, shift: int) -> TimeLine:
        """Return the same with intervals that are as wide, or wider."""
        more = shift - self.shift
        if not more or not len(self.sums):
            return self
        first = self.first >> more
        merged = np.zeros((((self.first + len(self.sums) - 1) >> more) - first + 1, len(COLUMNS)), np.int64)
        np.add.at(merged, self.places(shift, first), self.sums)
        return TimeLine(shift, first, merged)

    def places(self, shift: int, first: int) -> NDArray[np.int64]:
        """Return which interval each one belongs to, of others that are as wide, or wider."""
        # (In Python's own numbers: damaged values may not fit into 64 bits.)
        start = self.first - (first << (shift - self.shift))
        return (start + np.arange(len(self.sums))) >> (shift - self.shift)

    def within(self, most: int) -> TimeLine:
        """Return the same with at most this many intervals."""
        line = self
        while len(line.sums) > most:
            line = line.with_shift(line.shift + 1)
        return line


def time_line(lines: OfThreads, calls: OfThreads, messages: OfThreads) -> tuple[TimeLine | None, int]:
    """Join the time lines of the threads of a process.

    What a thread's rows have and its intervals don't have yet belongs to the latest interval.

    Args:
        lines: records of struct rankwise_time_line.
        calls: records of struct rankwise_calls.
        messages: records of struct rankwise_messages.

    Returns:
        The time line, None without one; and the number of time lines that are damaged or changed during the
        reading: then the process has none.
    """
    time_lines: list[TimeLine] = []
    damaged = 0
    for thread, records in lines:
        for record in records:
            line = _line(record)
            if line is None:
                damaged += 1
                continue
            uncounted = _sums_of_rows(thread, calls, messages) - line.sums.sum(axis=0)
            line.sums[-1] += np.maximum(uncounted, 0)
            time_lines.append(line)
    if damaged or not time_lines:
        return None, damaged
    return _merged(time_lines), 0


def _line(record: np.void) -> TimeLine | None:
    used, shift, first = int(record["used"]), int(record["shift"]), int(record["first"])
    if record["merges_begun"] != record["merges_done"] or shift > _WIDEST:
        return None
    if not 0 < used <= len(record["intervals"]) or first >= 1 << (63 - shift):
        return None
    columns = [np.maximum(record["intervals"][name][:used].view(np.int64), 0) for name in COLUMNS]
    if any(float(column.sum(dtype=np.float64)) >= _MOST_SUM for column in columns):
        return None
    return TimeLine(shift, first, np.stack(columns, axis=1))


def _sums_of_rows(thread: int, calls: OfThreads, messages: OfThreads) -> NDArray[np.int64]:
    """Add up the rows of a thread, as its intervals do."""
    sums = dict.fromkeys(COLUMNS, np.uint64(0))
    with np.errstate(over="ignore"):
        for rows in (rows for owner, rows in calls if owner == thread):
            between = BETWEEN[part(rows["key"], "CALLS", "PROCEDURE")] & (rows["key"] != 0)
            for name in ("ticks", "bytes_sent", "bytes_received", "calls"):
                sums[name] += rows[name][between].sum(dtype=np.uint64)
        for rows in (rows for owner, rows in messages if owner == thread):
            own = part(rows["key"], "MESSAGES", "KIND") != _IN_COLLECTIVE
            sums["messages"] += rows["messages"][own].sum(dtype=np.uint64)
    signed = np.array([sums[name] for name in COLUMNS], np.uint64).view(np.int64)
    return np.where((signed < 0) | (signed >= _MOST_SUM), 0, signed)


def _merged(lines: Sequence[TimeLine]) -> TimeLine:
    """Add up the time lines of threads."""
    if len(lines) == 1:
        return lines[0]
    shift = max(line.shift for line in lines)
    while True:
        shifted = [line.with_shift(shift) for line in lines]
        first = min(line.first for line in shifted)
        count = max(line.first + len(line.sums) for line in shifted) - first
        if count <= MOST:
            break
        shift += 1
    sums = np.zeros((count, len(COLUMNS)), np.int64)
    for line in shifted:
        sums[line.first - first :][: len(line.sums)] += line.sums
    return TimeLine(shift, first, sums)
