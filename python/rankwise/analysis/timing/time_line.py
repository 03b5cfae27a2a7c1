"""The activity of the ranks over time: their intervals, and the phases of the run found in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.percent import percent
from rankwise.analysis.timing.change_points import change_points
from rankwise.records import dataclass

_LEAST_RATE = 0.01  # of the largest rate of bytes: smaller rates count as nothing
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
        host: its host.
        begin_seconds: when MPI_Init returned, after the start of the run.
        end_seconds: when it called MPI_Finalize, or its known end.
        threads: number of threads that call MPI.
        percent_of_mpi: share of this time in MPI (mean of its threads).
        inside_seconds: part of each interval between these two instants.
        mpi_seconds: time in MPI in each interval, sum of its threads.
        bytes_sent: in each interval.
        bytes_received: in each interval.
        messages: in each interval.
        calls: in each interval.
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
    """A part of the run with constant mean activity of the ranks.

    Attributes:
        number: from 1, in the order of time.
        begin_seconds: after the start of the run.
        end_seconds: after the start of the run.
        percent_of_mpi: share of MPI in the time of all ranks.
        least_percent_of_mpi: the smallest share of a rank.
        least_rank: the rank with the smallest share.
        most_percent_of_mpi: the largest share of a rank.
        most_rank: the rank with the largest share.
        bytes_sent: sum over all ranks, like the next three.
        bytes_received: sum over all ranks.
        messages: sum over all ranks.
        calls: sum over all ranks.
        bytes_sent_per_second: sum over all ranks.
        messages_per_second: sum over all ranks.
        calls_per_second: sum over all ranks.
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
        """The length of the phase."""
        return self.end_seconds - self.begin_seconds


@dataclass(frozen=True)
class Interval:
    """The activity of all ranks in an interval.

    Attributes:
        number: from 0.
        begin_seconds: after the start of the run.
        percent_of_mpi: share of MPI in the time of all ranks; None = no rank was running.
        mpi_seconds: sum over all ranks, like the next four.
        bytes_sent: sum over all ranks.
        bytes_received: sum over all ranks.
        messages: sum over all ranks.
        calls: sum over all ranks.
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
        begin_seconds: start of the first interval, after the start of the run.
        width_seconds: of each interval.
        not_known_ranks: number of ranks with unknown activity.
        phases: in the order of time.
        intervals: all, in the order of time.
        ranks: in ascending order.
    """

    begin_seconds: float = 0.0
    width_seconds: float = 0.0
    not_known_ranks: int = 0
    phases: list[Phase] = field(default_factory=list)
    intervals: list[Interval] = field(default_factory=list)
    ranks: list[RankLine] = field(default_factory=list)


@dataclass(frozen=True)
class _Cells:
    """Arrays of shape (ranks, intervals); `available` is the threads' available time, seconds."""

    inside: NDArray[np.float64]
    available: NDArray[np.float64]
    mpi: NDArray[np.float64]
    counts: dict[str, NDArray[np.int64]]


def time_line(connection: sqlite3.Connection) -> TimeLine:
    """Return the activity of the ranks over time; without intervals if it is unknown."""
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
    """Return whether the axis is valid; in a damaged profile it may not be."""
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
    mpi, available = cells.mpi.sum(axis=0).tolist(), cells.available.sum(axis=0).tolist()
    counts = zip(*(cells.counts[name].sum(axis=0).tolist() for name in _COUNTS), strict=True)
    return [
        Interval(number, begin + number * width, percent(spent, whole) if whole else None, spent, *row)
        for number, (spent, whole, row) in enumerate(zip(mpi, available, counts, strict=True))
    ]


def _phases(cells: _Cells, ranks: Sequence[RankLine], begin: float, width: float) -> list[Phase]:
    available = cells.available.sum(axis=0)
    occupied = np.flatnonzero(available > 0)
    if not len(occupied):
        return []
    first, last = int(occupied[0]), int(occupied[-1]) + 1
    share = np.minimum(_ratio(cells.mpi.sum(axis=0), available), 1.0)
    sent = _ratio(cells.counts["bytes_sent"].sum(axis=0, dtype=np.float64), available)
    # Logarithmic: twice the rate is a small change, a hundred times the rate is the largest.
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
    present = np.flatnonzero(available > 0)
    shares = mpi[present] / available[present]
    least, most = int(shares.argmin()), int(shares.argmax())
    sums = {name: int(cells.counts[name][:, which].sum()) for name in _COUNTS}
    seconds = max(end - begin, _LEAST_SECONDS)
    return Phase(
        number=number,
        begin_seconds=begin,
        end_seconds=end,
        percent_of_mpi=percent(float(mpi.sum()), float(available.sum())),
        least_percent_of_mpi=100 * float(shares[least]),
        least_rank=ranks[int(present[least])].rank,
        most_percent_of_mpi=100 * float(shares[most]),
        most_rank=ranks[int(present[most])].rank,
        bytes_sent=sums["bytes_sent"],
        bytes_received=sums["bytes_received"],
        messages=sums["messages"],
        calls=sums["calls"],
        bytes_sent_per_second=sums["bytes_sent"] / seconds,
        messages_per_second=sums["messages"] / seconds,
        calls_per_second=sums["calls"] / seconds,
    )


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return part / whole; 0 if `whole` is 0."""
    ratio: NDArray[np.float64] = np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)
    return ratio
