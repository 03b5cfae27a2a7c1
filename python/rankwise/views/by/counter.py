"""System and hardware counters: of each rank and, if the program names any, of each region."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeVar

from rankwise.analysis.calls.regions import WHOLE_PROGRAM
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.system_counters import (
    Counted,
    RankCounters,
    RegionCounters,
    absent_counters,
    counter_totals,
    rank_counters,
    region_counters,
    total,
)
from rankwise.text.counters import absent_notes, counter_fields
from rankwise.text.empty import NO_COUNTERS
from rankwise.text.units import rate_text
from rankwise.views.view import (
    COUNT,
    NUMBER,
    PERCENT,
    RATIO,
    SECONDS,
    Column,
    Detail,
    Format,
    Table,
    View,
    label,
    number,
)

_RATE = Format("rate", rate_text, "1/s", right=True)
_GFLOPS = Format("rate", rate_text, "gflop/s", right=True)
_EXTRAPOLATED = "~: extrapolated, because the processor multiplexed the events"
_WALL = "summed over ranks, between MPI_Init and MPI_Finalize"
_Row = TypeVar("_Row", RankCounters, RegionCounters)
_NO_CPU: Column[RankCounters] = Column(
    "no cpu",
    lambda row: row.waited_seconds,
    SECONDS,
    "its threads were ready but had no processor, summed",
    total=lambda rows: _no_cpu(rows),
)


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return a row for each rank and for each region; columns for the counters present."""
    ranks, regions, absent = (
        rank_counters(connection),
        region_counters(connection),
        absent_counters(connection),
    )
    notes = absent_notes(absent)
    whose: list[Column[RankCounters]] = [
        Column("rank", lambda row: row.rank, NUMBER, "in MPI_COMM_WORLD", obvious=True),
        label("host", lambda row: row.host, "node that it ran on"),
        Column("run", lambda row: row.counted.seconds, SECONDS, "between MPI_Init and MPI_Finalize"),
    ]
    if any(row.waited_seconds is not None for row in ranks):
        whose.append(_NO_CPU)
    tables: list[Table] = [Table([*whose, *_shown(ranks)], ranks, NO_COUNTERS, notes=notes)]
    if any(row.region != WHOLE_PROGRAM for row in regions):
        where: list[Column[RegionCounters]] = [
            label("region", _name, "path of names; (outside): not in any region"),
            number("wall excl.", lambda row: row.counted.seconds or 0.0, SECONDS, _WALL),
        ]
        title = "In the regions, without nested regions, summed over ranks"
        tables.append(Table([*where, *_shown(regions)], regions, NO_COUNTERS, title=title))
    totals = counter_totals(connection)
    lacking = Evidence(connection).shortages
    data = {
        "rank_counters": ranks,
        "region_counters": regions,
        "absent_counters": absent,
        "counter_totals": totals,
        "shortages": lacking,
    }
    return View("; ".join(counter_fields(totals, lacking)), tables, data)


def _no_cpu(rows: Sequence[RankCounters]) -> float | None:
    known = [row.waited_seconds for row in rows if row.waited_seconds is not None]
    return sum(known) if len(known) == len(rows) else None


def _name(row: RegionCounters) -> str:
    return "(outside)" if row.region == WHOLE_PROGRAM else row.path


def _shown(rows: Sequence[_Row]) -> list[Column[_Row]]:
    """Return the columns that hold something."""
    columns: list[Column[_Row]] = _columns()
    return [column for column in columns if not rows or any(column.value(row) is not None for row in rows)]


def _columns() -> list[Column[_Row]]:
    def column(
        name: str,
        value: Callable[[Counted], float | None],
        kind: Format,
        meaning: str,
        *,
        detail: Detail = Detail.ALL,
        hardware: bool = False,
    ) -> Column[_Row]:
        return Column(
            name,
            lambda row: value(row.counted),
            kind,
            f"{meaning} ({_EXTRAPOLATED})" if hardware else meaning,
            total=lambda rows: value(total(row.counted for row in rows)),
            mark=(lambda row: "~" if row.counted.counts.scaled else "") if hardware else None,
            detail=detail,
        )

    return [
        column(
            "on cpu", lambda sums: sums.counts.task_clock_seconds, SECONDS, "processor time of all threads"
        ),
        column(
            "% cpu", lambda sums: sums.cpu_percent, PERCENT, "of the wall time; over 100 with several threads"
        ),
        column("waited", lambda sums: sums.counts.voluntary_switches, COUNT, "voluntary context switches"),
        column(
            "preempted",
            lambda sums: sums.counts.involuntary_switches,
            COUNT,
            "involuntary context switches: the kernel gave its processor to another thread",
        ),
        column(
            "per s",
            lambda sums: sums.involuntary_switches_per_second,
            _RATE,
            "preemptions per second of a rank",
        ),
        column("migrations", lambda sums: sums.counts.migrations, COUNT, "from one processor to another"),
        column("faults", lambda sums: sums.counts.minor_faults, COUNT, "page faults without a disk"),
        column(
            "major",
            lambda sums: sums.counts.major_faults,
            COUNT,
            "page faults that waited for a disk",
            detail=Detail.VERBOSE,
        ),
        column(
            "instructions",
            lambda sums: sums.counts.instructions,
            COUNT,
            "of the program, without the kernel",
            detail=Detail.VERBOSE,
            hardware=True,
        ),
        column("IPC", lambda sums: sums.instructions_per_cycle, RATIO, "instructions a cycle", hardware=True),
        column(
            "gflop/s",
            lambda sums: sums.gflop_per_second,
            _GFLOPS,
            "10^9 floating-point operations per second of a rank",
            hardware=True,
        ),
    ]
