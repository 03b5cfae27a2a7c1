"""Questions about all runs of a centre, and their answers as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from statistics import median
from typing import Any

from rankwise.centre.asked import ALL_ROWS, Asked, month_range
from rankwise.centre.best import with_best_runs
from rankwise.centre.engines.engine import Engine
from rankwise.centre.queries import part, question
from rankwise.comparison.change import Change, timed
from rankwise.records import dataclass
from rankwise.runs.significance import LEVEL, corrected, rank_sum_chance, sign_chance

Row = Mapping[str, Any]

BLOCKED_PERCENT = 10.0
"""A port is blocked in a run if it could not send in more of the time in which it had data."""
SLOW_PERCENT = 2.0
"""Hosts whose median is slower are named."""
LEAST_RUNS = 5
"""Of a port, and of a configuration with an MPI library and a kernel: fewer show nothing."""

_WASTED = ("wasted",)
_LEAST_FAULTY_RUNS = 2
_MOST_RUNS = 100  # of a configuration with an MPI library and a kernel, the newest
_MOST_CONFIGURATIONS = 200
LIBRARY, KERNEL, BOTH = "MPI library", "kernel", "MPI library and kernel"
"""What changed between two sides."""
_NEARLY_WHOLE = timedelta(days=2)
"""Without runs at an end of a month, within which the month counts as whole."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The runs that an answer is about, and the gaps in the data.

    Attributes:
        asked: how they are restricted.
        totals: columns of `totals.sql`.
        recorded: of each month, columns of `recorded_by_month.sql`; empty = the accounting has no such jobs,
            or it was not asked.
        asked_accounting: whether the accounting was asked, which takes long.
    """

    asked: Asked
    totals: Row
    recorded: Sequence[Row]
    asked_accounting: bool = True

    @property
    def without_profile_percent(self) -> float | None:
        """Share of the accounted node hours in jobs without a profile; None = unknown."""
        accounted = sum(row["node_hours"] for row in self.recorded)
        if self.asked.program or accounted <= 0:
            return None
        recorded = sum(row["recorded_node_hours"] for row in self.recorded)
        return float(100 * max(accounted - recorded, 0.0) / accounted)

    @property
    def waste_percent(self) -> float:
        """Waste in percent of the node hours of the runs."""
        hours = self.totals["node_hours"]
        return float(100 * self.totals["waste_node_hours"] / hours) if hours else 0.0


@dataclass(frozen=True, kw_only=True)
class Waste:
    """Where node hours could be saved.

    Attributes:
        scope: the runs.
        kinds: of waste, the largest first.
        programs: with a kind of waste each, the largest first.
    """

    scope: Scope
    kinds: Sequence[Row]
    programs: Sequence[Row]


@dataclass(frozen=True, kw_only=True)
class SoftwareChange:
    """Runs of a configuration before and after another MPI library or kernel.

    Attributes:
        user: who ran them.
        program: its name.
        arguments: of the program.
        ranks: number.
        nodes: number.
        changed: `LIBRARY`, `KERNEL` or `BOTH`.
        library_before: name and version.
        library_after: name and version.
        kernel_before: releases of Linux; '' = unknown.
        kernel_after: releases of Linux; '' = unknown.
        wall: seconds of both sides; the newest 100 runs of each.
        chance: probability of such a difference between runs of equal kinds, corrected for the number of
            comparisons (Holm).
        runs_after: number of all runs after it.
        profile: of the newest run after it; None = not kept.
    """

    user: str
    program: str
    arguments: str
    ranks: int
    nodes: int
    changed: str
    library_before: str
    library_after: str
    kernel_before: str
    kernel_after: str
    wall: Change
    chance: float
    runs_after: int
    profile: str | None

    @property
    def more_node_hours(self) -> float:
        """What the difference costs all runs after it; negative = it saves."""
        return self.wall.change * self.nodes * self.runs_after / 3600


@dataclass(frozen=True, kw_only=True)
class Programs:
    """Programs, and what another MPI library or kernel changed.

    Attributes:
        scope: the runs.
        programs: the most wasteful first.
        changes: significant ones, the most costly first.
        compared: number of comparisons.
    """

    scope: Scope
    programs: Sequence[Row]
    changes: Sequence[SoftwareChange]
    compared: int


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """Jobs or users.

    Attributes:
        scope: the runs.
        rows: the most wasteful first.
    """

    scope: Scope
    rows: Sequence[Row]


@dataclass(frozen=True, kw_only=True)
class Hosts:
    """Hosts that are slow or late in many runs, and ports that are blocked or faulty in many.

    Attributes:
        scope: the runs.
        slow: significant ones, the slowest first.
        compared: number of hosts with runs in which they can be compared with others.
        blocked: ports that are blocked in most of their runs, the most blocked first.
        faulty: ports that count errors in several runs, the most errors first.
    """

    scope: Scope
    slow: Sequence[Row]
    compared: int
    blocked: Sequence[Row]
    faulty: Sequence[Row]


@dataclass(frozen=True, kw_only=True)
class Trends:
    """Months.

    Attributes:
        scope: the runs.
        months: in order, each with `waste`: node hours by kind.
        earlier: the last but one whole month; '' = there are no two.
        later: the last whole month.
        changes: of the waste from the earlier to the later, the largest first.
    """

    scope: Scope
    months: Sequence[Row]
    earlier: str
    later: str
    changes: Sequence[Row]


def waste(engine: Engine, asked: Asked, rows: int) -> Waste:
    """Return where node hours could be saved.

    Args:
        engine: over the store.
        asked: which runs.
        rows: of programs, 0 = all.
    """
    _keep_wasted(engine, asked)
    ranked = _ask(engine, "waste_by_program", asked, kept=_WASTED, rows=rows or ALL_ROWS)
    return Waste(
        scope=_scope(engine, asked, accounted=True),
        kinds=_ask(engine, "waste_by_kind", asked, kept=_WASTED),
        programs=with_best_runs(engine, asked, ranked, findings=True),
    )


def programs(engine: Engine, asked: Asked, rows: int) -> Programs:
    """Return the most wasteful programs, and what another MPI library or kernel changed; as `waste`."""
    changes, compared = _software_changes(engine, asked)
    return Programs(
        scope=_scope(engine, asked),
        programs=with_best_runs(engine, asked, _ask(engine, "programs", asked, rows=rows or ALL_ROWS)),
        changes=changes,
        compared=compared,
    )


def jobs(engine: Engine, asked: Asked, rows: int) -> Ranked:
    """Return the most wasteful jobs; arguments as for `waste`."""
    ranked = _ask(engine, "jobs", asked, rows=rows or ALL_ROWS)
    more = ("program", "started", "nodes", "waste")
    return Ranked(
        scope=_scope(engine, asked), rows=with_best_runs(engine, asked, ranked, more, findings=True)
    )


def users(engine: Engine, asked: Asked, rows: int) -> Ranked:
    """Return the most wasteful users; arguments as for `waste`."""
    ranked = _ask(engine, "users", asked, rows=rows or ALL_ROWS)
    return Ranked(scope=_scope(engine, asked), rows=with_best_runs(engine, asked, ranked))


def partitions(engine: Engine, asked: Asked) -> Sequence[Row]:
    """Return the partitions of the runs, the most node hours first."""
    return _ask(engine, "partitions", asked)


def hosts(engine: Engine, asked: Asked) -> Hosts:
    """Return hosts and ports that stand out in many runs; arguments as for `waste`."""
    known = [row for row in _ask(engine, "slow_hosts", asked) if row["runs"]]
    chances = corrected([sign_chance(row["slow_runs"], row["runs"]) for row in known])
    slow = [
        {**row, "chance": chance}
        for row, chance in zip(known, chances, strict=True)
        if chance <= LEVEL and row["slower_percent"] >= SLOW_PERCENT
    ]
    ports = _ask(engine, "ports", asked, blocked_percent=BLOCKED_PERCENT)
    often = [row for row in ports if row["runs"] >= LEAST_RUNS]
    return Hosts(
        scope=_scope(engine, asked),
        slow=sorted(slow, key=lambda row: (-row["slower_percent"], row["host"])),
        compared=len(known),
        blocked=sorted(
            (row for row in often if 2 * row["blocked_runs"] > row["runs"]),
            key=lambda row: -row["blocked_percent"],
        ),
        faulty=sorted(
            (row for row in ports if row["faulty_runs"] >= _LEAST_FAULTY_RUNS),
            key=lambda row: -row["errors"],
        ),
    )


def trends(engine: Engine, asked: Asked, rows: int) -> Trends:
    """Return months, and the largest changes between the last two whole ones; arguments as for `waste`."""
    scope = _scope(engine, asked, accounted=True)
    months = _months(engine, asked, scope)
    earlier, later = _last_whole_months(scope, [row["month"] for row in months])
    changes: Sequence[Row] = ()
    if earlier:
        changes = _ask(engine, "changes_of_waste", asked, earlier=earlier, later=later, rows=rows or ALL_ROWS)
    return Trends(scope=scope, months=months, earlier=earlier, later=later, changes=changes)


def _ask(
    engine: Engine, name: str, asked: Asked, *, kept: Sequence[str] = (), **more: Any
) -> list[dict[str, Any]]:
    parameters = {**asked.parameters(), **more}
    return engine.ask(question(name, parameters, kept=kept), parameters).named()


def _keep_wasted(engine: Engine, asked: Asked) -> None:
    """Keep what several questions read and what takes most of their time."""
    (name,) = _WASTED
    parameters = asked.parameters()
    engine.keep(name, part(name, parameters), parameters)


def _scope(engine: Engine, asked: Asked, *, accounted: bool = False) -> Scope:
    (totals,) = _ask(engine, "totals", asked)
    recorded = _ask(engine, "recorded_by_month", asked) if accounted else []
    return Scope(asked=asked, totals=totals, recorded=recorded, asked_accounting=accounted)


def _software_changes(engine: Engine, asked: Asked) -> tuple[list[SoftwareChange], int]:
    """Return the significant changes, the most costly first, and the number of comparisons."""
    runs = _ask(
        engine,
        "runs_of_software",
        asked,
        least_runs=LEAST_RUNS,
        most_runs=_MOST_RUNS,
        most_configurations=_MOST_CONFIGURATIONS,
    )
    pairs: list[tuple[Sequence[Row], Sequence[Row]]] = []
    for _, of_configuration in groupby(runs, _configuration):
        sides = [[*side] for _, side in groupby(of_configuration, _software)]
        sides.sort(key=_middle_start)
        pairs += _pairs(sides)
    walls = [
        ([run["wall_seconds"] for run in before], [run["wall_seconds"] for run in after])
        for before, after in pairs
    ]
    chances = corrected([rank_sum_chance(before, after) for before, after in walls])
    changes = [
        _change(before, after, timed(*wall), chance)
        for (before, after), wall, chance in zip(pairs, walls, chances, strict=True)
        if chance <= LEVEL
    ]
    return sorted(changes, key=lambda change: -change.more_node_hours), len(pairs)


def _configuration(run: Row) -> tuple[Any, ...]:
    return tuple(run[name] for name in ("user", "program", "arguments", "ranks", "nodes"))


def _pairs(sides: Sequence[Sequence[Row]]) -> Iterator[tuple[Sequence[Row], Sequence[Row]]]:
    """Pair each side with the latest one before it that is known to have other software."""
    for number, after in enumerate(sides):
        for before in reversed(sides[:number]):
            if _changed(before, after):
                yield before, after
                break


def _software(run: Row) -> tuple[str, str]:
    return run["mpi_library"], run["kernel"]


def _changed(before: Sequence[Row], after: Sequence[Row]) -> str:
    """Return which software changed; '' = none that is known on both sides."""
    (library_before, kernel_before), (library, kernel) = _software(before[-1]), _software(after[-1])
    is_other_kernel = bool(kernel_before and kernel and kernel_before != kernel)
    if library_before == library:
        return KERNEL if is_other_kernel else ""
    return BOTH if is_other_kernel else LIBRARY


def _middle_start(side: Sequence[Row]) -> float:
    return float(median(run["started"].timestamp() for run in side))


def _change(before: Sequence[Row], after: Sequence[Row], wall: Change, chance: float) -> SoftwareChange:
    newest = after[-1]
    return SoftwareChange(
        user=newest["user"],
        program=newest["program"],
        arguments=newest["arguments"],
        ranks=newest["ranks"],
        nodes=newest["nodes"],
        changed=_changed(before, after),
        library_before=before[-1]["mpi_library"],
        library_after=newest["mpi_library"],
        kernel_before=before[-1]["kernel"],
        kernel_after=newest["kernel"],
        wall=wall,
        chance=chance,
        runs_after=newest["runs"],
        profile=newest["profile"],
    )


def _months(engine: Engine, asked: Asked, scope: Scope) -> list[dict[str, Any]]:
    kinds: dict[str, dict[str, float]] = {}
    for row in _ask(engine, "waste_by_month", asked):
        kinds.setdefault(row["month"], {})[row["waste"]] = row["node_hours"]
    recorded = {row["month"]: row for row in scope.recorded}
    months = []
    for row in _ask(engine, "totals_by_month", asked):
        accounted = recorded.get(row["month"])
        share = None
        if accounted and accounted["node_hours"] > 0 and not asked.program:
            share = 100 * accounted["recorded_node_hours"] / accounted["node_hours"]
        months.append({**row, "recorded_percent": share, "waste": kinds.get(row["month"], {})})
    return months


def _last_whole_months(scope: Scope, months: Sequence[str]) -> tuple[str, str]:
    """Return the last two months that have runs from their beginning to their end; '' = fewer do."""
    whole = [*months]
    if whole:
        last = month_range(whole[-1])[1]
        if scope.totals["last_started"].date() + _NEARLY_WHOLE < last:
            whole.pop()
    if whole:
        first = month_range(whole[0])[0]
        if scope.totals["first_started"].date() - _NEARLY_WHOLE > first:
            whole.pop(0)
    return (whole[-2], whole[-1]) if len(whole) >= 2 else ("", "")
