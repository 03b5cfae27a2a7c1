"""The activity of the ranks over time: by interval, and the phases of the run."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.percent import percent
from rankwise.analysis.timing.change_points import change_points
from rankwise.records import dataclass

_LEAST_RATE = 0.01  # of the largest rate of bytes: less counts as nothing
_WEIGHT_OF_RATE = 0.5  # relative to the share in MPI
_LEAST_BYTES = 1e-9  # a second
_LEAST_SECONDS = 1e-9
_MOST_CELLS = 1 << 22
_COUNTS = ("bytes_sent", "bytes_received", "messages", "calls")


@dataclass(frozen=True, kw_only=True)
class RankLine:
    """The activity of a rank in each interval.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: its node.
        begin_seconds: when it returned from MPI_Init, after the start of the run.
        end_seconds: when it called MPI_Finalize, or its end as far as it is known.
        threads: number of threads that call MPI.
        percent_of_mpi: of this time, in MPI (of several threads the mean).
        inside_seconds: part of each interval between these two instants.
        mpi_seconds: of these, in MPI; several threads are added up.
        bytes_sent: in each interval.
        bytes_received: likewise.
        messages: likewise.
        calls: likewise.
    """

    rank: int
    host: str
    begin_seconds: float
    end_seconds: float
    threads: int
    percent_of_mpi: float
    inside_seconds: list[float]
    mpi_seconds: list[float]
    bytes_sent: list[int]
    bytes_received: list[int]
    messages: list[int]
    calls: list[int]


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A part of the run with similar average activity of the ranks.

    Attributes:
        number: from 1, in the order of time.
        begin_seconds: after the start of the run.
        end_seconds: likewise.
        percent_of_mpi: of the time of all ranks.
        least_percent_of_mpi: of the rank with the least.
        least_rank: that rank.
        most_percent_of_mpi: of the rank with the most.
        most_rank: that rank.
        bytes_sent: over the ranks.
        bytes_received: likewise.
        messages: likewise.
        calls: likewise.
        bytes_sent_per_second: over the ranks.
        messages_per_second: likewise.
        calls_per_second: likewise.
    """

    number: int
    begin_seconds: float
    end_seconds: float
    percent_of_mpi: float
    least_percent_of_mpi: float
    least_rank: int
    most_percent_of_mpi: float
    most_rank: int
    bytes_sent: int
    bytes_received: int
    messages: int
    calls: int
    bytes_sent_per_second: float
    messages_per_second: float
    calls_per_second: float

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.end_seconds - self.begin_seconds


@dataclass(frozen=True)
class Interval:
    """The activity of all ranks in an interval.

    Attributes:
        number: from 0.
        begin_seconds: after the start of the run.
        percent_of_mpi: of the time of all ranks; None = none was there.
        mpi_seconds: over the ranks.
        bytes_sent: likewise.
        bytes_received: likewise.
        messages: likewise.
        calls: likewise.
    """

    number: int
    begin_seconds: float
    percent_of_mpi: float | None
    mpi_seconds: float
    bytes_sent: int
    bytes_received: int
    messages: int
    calls: int


@dataclass(frozen=True)
class TimeLine:
    """The run in intervals of equal width.

    Attributes:
        begin_seconds: where the first interval begins, after the start of the run.
        width_seconds: of each.
        not_known_ranks: number of ranks without data.
        phases: in the order of time.
        intervals: all, in the order of time.
        ranks: in their order.
    """

    begin_seconds: float = 0.0
    width_seconds: float = 0.0
    not_known_ranks: int = 0
    phases: list[Phase] = field(default_factory=list)
    intervals: list[Interval] = field(default_factory=list)
    ranks: list[RankLine] = field(default_factory=list)


@dataclass(frozen=True)
class _Cells:
    """Arrays of shape (ranks, intervals); `available` is the time that the threads had, seconds."""

    inside: NDArray[np.float64]
    available: NDArray[np.float64]
    mpi: NDArray[np.float64]
    counts: dict[str, NDArray[np.int64]]


def time_line(connection: sqlite3.Connection) -> TimeLine:
    """Return the activity of the ranks over time; without intervals if nothing is known."""
    (all_ranks,) = connection.execute("SELECT COUNT(*) FROM ranks").fetchone()
    axis = connection.execute("SELECT begin, width, intervals FROM time_axis").fetchone()
    lines = connection.execute(
        "SELECT rank, host, threads, begin, end FROM time_lines JOIN ranks USING (rank) ORDER BY rank"
    ).fetchall()
    if not axis or not lines or not _is_possible(axis, len(lines)):
        return TimeLine(not_known_ranks=all_ranks)
    begin, width, count = float(axis[0]), float(axis[1]), int(axis[2])
    cells = _cells(connection, lines, begin, width, count)
    ranks = [
        RankLine(
            rank=rank,
            host=host,
            begin_seconds=first,
            end_seconds=last,
            threads=threads,
            percent_of_mpi=percent(float(cells.mpi[place].sum()), float(cells.available[place].sum())),
            inside_seconds=cells.inside[place].tolist(),
            mpi_seconds=cells.mpi[place].tolist(),
            **{name: cells.counts[name][place].tolist() for name in _COUNTS},
        )
        for place, (rank, host, threads, first, last) in enumerate(lines)
    ]
    return TimeLine(
        begin,
        width,
        all_ranks - len(lines),
        _phases(cells, ranks, begin, width),
        _intervals(cells, begin, width),
        ranks,
    )


def _is_possible(axis: tuple[float, float, int], ranks: int) -> bool:
    """Return whether the axis is possible: a damaged profile may have an impossible one."""
    begin, width, count = axis
    return bool(np.isfinite(begin) and 0 < width < np.inf and 0 < count * ranks <= _MOST_CELLS)


def _cells(
    connection: sqlite3.Connection,
    lines: list[tuple[int, str, int, float, float]],
    begin: float,
    width: float,
    count: int,
) -> _Cells:
    edges = begin + width * np.arange(count + 1)
    spans = np.array([line[3:] for line in lines], np.float64)
    inside = np.minimum(edges[1:], spans[:, 1:]) - np.maximum(edges[:-1], spans[:, :1])
    inside = np.maximum(inside, 0.0)
    threads = np.array([max(line[2], 1) for line in lines], np.float64)
    mpi = np.zeros((len(lines), count))
    counts = {name: np.zeros((len(lines), count), np.int64) for name in _COUNTS}
    place = {line[0]: number for number, line in enumerate(lines)}
    for rank, interval, seconds, *numbers in connection.execute(
        f"SELECT rank, interval, seconds, {', '.join(_COUNTS)} FROM intervals"
    ):
        if rank in place and 0 <= interval < count:
            mpi[place[rank], interval] = seconds
            for name, number in zip(_COUNTS, numbers, strict=True):
                counts[name][place[rank], interval] = number
    return _Cells(inside, inside * threads[:, None], mpi, counts)


def _intervals(cells: _Cells, begin: float, width: float) -> list[Interval]:
    mpi, there = cells.mpi.sum(axis=0).tolist(), cells.available.sum(axis=0).tolist()
    counts = zip(*(cells.counts[name].sum(axis=0).tolist() for name in _COUNTS), strict=True)
    return [
        Interval(
            number, begin + number * width, percent(spent, all_of_it) if all_of_it else None, spent, *row
        )
        for number, (spent, all_of_it, row) in enumerate(zip(mpi, there, counts, strict=True))
    ]


def _phases(cells: _Cells, ranks: Sequence[RankLine], begin: float, width: float) -> list[Phase]:
    available = cells.available.sum(axis=0)
    occupied = np.flatnonzero(available > 0)
    if not len(occupied):
        return []
    first, last = int(occupied[0]), int(occupied[-1]) + 1
    share = np.minimum(_ratio(cells.mpi.sum(axis=0), available), 1.0)
    sent = _ratio(cells.counts["bytes_sent"].sum(axis=0, dtype=np.float64), available)
    # By orders of magnitude: twice as much is little, a hundred times as much is all.
    rate = np.log1p(sent / max(float(sent.max()) * _LEAST_RATE, _LEAST_BYTES)) / np.log1p(1 / _LEAST_RATE)
    series = np.stack([share, _WEIGHT_OF_RATE * rate], axis=1)[first:last]
    starts = [first + start for start in change_points(series, available[first:last] / available.max())]
    run = min(line.begin_seconds for line in ranks), max(line.end_seconds for line in ranks)
    return [
        _phase(
            number,
            cells,
            ranks,
            slice(start, end),
            max(begin + start * width, run[0]),
            min(begin + end * width, run[1]),
        )
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], last], strict=True), 1)
    ]


def _phase(
    number: int, cells: _Cells, ranks: Sequence[RankLine], which: slice, begin: float, end: float
) -> Phase:
    mpi, available = cells.mpi[:, which].sum(axis=1), cells.available[:, which].sum(axis=1)
    there = np.flatnonzero(available > 0)
    shares = mpi[there] / available[there]
    least, most = int(shares.argmin()), int(shares.argmax())
    sums = {name: int(cells.counts[name][:, which].sum()) for name in _COUNTS}
    seconds = max(end - begin, _LEAST_SECONDS)
    return Phase(
        number=number,
        begin_seconds=begin,
        end_seconds=end,
        percent_of_mpi=percent(float(mpi.sum()), float(available.sum())),
        least_percent_of_mpi=100 * float(shares[least]),
        least_rank=ranks[int(there[least])].rank,
        most_percent_of_mpi=100 * float(shares[most]),
        most_rank=ranks[int(there[most])].rank,
        bytes_sent=sums["bytes_sent"],
        bytes_received=sums["bytes_received"],
        messages=sums["messages"],
        calls=sums["calls"],
        bytes_sent_per_second=sums["bytes_sent"] / seconds,
        messages_per_second=sums["messages"] / seconds,
        calls_per_second=sums["calls"] / seconds,
    )


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return part / whole; nothing of nothing is 0."""
    ratio: NDArray[np.float64] = np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)
    return ratio
