"""Time: the phases of the run, and how much of its time each rank spends in MPI when."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rankwise.analysis.percent import percent
from rankwise.analysis.timing.time_line import Phase, RankLine, TimeLine, time_line
from rankwise.records import dataclass
from rankwise.text.empty import NO_TIME_LINE
from rankwise.text.units import byte_text, percent_text, rate_text, second_text
from rankwise.views.view import (
    BYTE_RATE,
    BYTES,
    COUNT,
    FIGURES,
    NUMBER,
    PERCENT,
    SECONDS,
    STRIP,
    Column,
    Detail,
    Format,
    Table,
    View,
    number,
)

_COLUMNS = 56  # characters of a strip: with its rank as wide as a small terminal
_LINES, _MANY_LINES = 16, 64  # bundles of ranks, and with -v
_MOSTLY = 50.0  # percent

_INSTANT = Format("seconds", lambda seconds: second_text(seconds), "s", right=True)
_RATE = Format("rate", rate_text, "1/s", right=True)
_PHASES: list[Column[Phase]] = [
    Column("phase", lambda row: row.number, NUMBER, "in order of time", obvious=True),
    Column("from", lambda row: row.begin_seconds, _INSTANT, "after the start of the run"),
    Column("to", lambda row: row.end_seconds, _INSTANT, "after the start of the run"),
    number("length", lambda row: row.seconds, SECONDS, "of the phase", obvious=True),
    Column("% in MPI", lambda row: row.percent_of_mpi, PERCENT, "of the time of all ranks"),
    Column(
        "least",
        lambda row: row.least_percent_of_mpi,
        PERCENT,
        "% in MPI of the ranks (in brackets) with the least and the most",
        mark=lambda row: f" ({row.least_rank})",
    ),
    Column(
        "most",
        lambda row: row.most_percent_of_mpi,
        PERCENT,
        "% in MPI of the ranks (in brackets) with the least and the most",
        mark=lambda row: f" ({row.most_rank})",
    ),
    Column("sent", lambda row: row.bytes_sent_per_second, BYTE_RATE, "summed over ranks, as in --by call"),
    Column("calls/s", lambda row: row.calls_per_second, _RATE, "summed over ranks"),
    Column(
        "messages/s",
        lambda row: row.messages_per_second,
        _RATE,
        "point-to-point and one-sided, summed over ranks",
    ),
    number("bytes sent", lambda row: row.bytes_sent, BYTES, "summed over ranks", detail=Detail.VERBOSE),
    number("received", lambda row: row.bytes_received, BYTES, "summed over ranks", detail=Detail.VERBOSE),
    number("messages", lambda row: row.messages, COUNT, "summed over ranks", detail=Detail.VERBOSE),
    number("calls", lambda row: row.calls, COUNT, "summed over ranks", detail=Detail.VERBOSE),
]


@dataclass(frozen=True)
class _Strip:
    """Neighbouring ranks, and their heights side by side."""

    ranks: str
    percent_of_mpi: float
    heights: str


def _strips(width_seconds: float, detail: Detail) -> list[Column[_Strip]]:
    return [
        Column(
            "ranks",
            lambda row: row.ranks,
            FIGURES,
            "in MPI_COMM_WORLD",
            obvious=True,
        ),
        Column(
            "% in MPI", lambda row: row.percent_of_mpi, PERCENT, "of the time of all ranks", detail=detail
        ),
        Column(
            "time in MPI",
            lambda row: row.heights,
            STRIP,
            f"each character covers {second_text(width_seconds)}: from 0 (less than 10 % in MPI) to 9 (90 % "
            "and more), or drawn; -: no rank was running",
            detail=detail,
        ),
    ]


def view(connection: sqlite3.Connection, detail: Detail) -> View:
    """Return a row for each phase, and strips of ranks by time."""
    line = time_line(connection)
    tables = [Table(_PHASES, line.phases, NO_TIME_LINE, notes=_notes(line), whole=True)]
    if line.ranks:
        for part, lines in ((Detail.BRIEF, _LINES), (Detail.VERBOSE, _MANY_LINES)):
            if part & detail:
                together = -(-len(line.intervals) // _COLUMNS)
                columns = _strips(together * line.width_seconds, Detail.ALL)
                rows = [_strip(ranks, together) for ranks in _bundles(line.ranks, lines)]
                tables.append(Table(columns, rows, NO_TIME_LINE, detail=part, whole=True))
    return View(_title(line), tables, {"time": line})


def _title(line: TimeLine) -> str:
    if not line.phases:
        return ""
    mostly = [phase for phase in line.phases if phase.percent_of_mpi >= _MOSTLY]
    count = f"{len(line.phases)} phase{'s' * (len(line.phases) > 1)}"
    if not mostly:
        most = max(line.phases, key=lambda phase: phase.percent_of_mpi)
        return f"{count}; none is mostly MPI, the maximum is {percent_text(most.percent_of_mpi)} %"
    longest = max(mostly, key=lambda phase: phase.seconds)
    share = percent(longest.seconds, line.phases[-1].end_seconds - line.phases[0].begin_seconds)
    sent = f", {byte_text(longest.bytes_sent_per_second)}/s sent" if longest.bytes_sent else ""
    return (
        f"{count}, {len(mostly)} mostly MPI; the longest of these is phase {longest.number},"
        f" {percent_text(share)} % of the run with {percent_text(longest.percent_of_mpi)} % in MPI{sent}"
    )


def _notes(line: TimeLine) -> list[str]:
    notes = []
    if line.phases:
        notes.append(
            f"Found in {len(line.intervals)} intervals of {second_text(line.width_seconds)}, by the ranks'"
            " mean time in MPI and bytes sent."
        )
        if line.not_known_ranks:
            notes.append(f"Of {line.not_known_ranks} ranks nothing is known.")
    return notes


def _bundles(ranks: Sequence[RankLine], most: int) -> list[Sequence[RankLine]]:
    together = -(-len(ranks) // most)
    return [ranks[first : first + together] for first in range(0, len(ranks), together)]


def _strip(ranks: Sequence[RankLine], together: int) -> _Strip:
    first, last = ranks[0].rank, ranks[-1].rank
    count = len(ranks[0].mpi_seconds)
    heights = ""
    for start in range(0, count, together):
        stretch = slice(start, start + together)
        heights += _height(
            [
                (sum(line.mpi_seconds[stretch]), sum(line.inside_seconds[stretch]) * max(line.threads, 1))
                for line in ranks
            ]
        )
    return _Strip(
        f"{first}" if first == last else f"{first}-{last}",
        sum(line.percent_of_mpi for line in ranks) / len(ranks),
        heights,
    )


def _height(seconds: Sequence[tuple[float, float]]) -> str:
    """Return the mean share of MPI in the time of some ranks, as a digit."""
    shares = [min(mpi / inside, 1.0) for mpi, inside in seconds if inside > 0]
    return str(min(int(10 * sum(shares) / len(shares)), 9)) if shares else "-"
