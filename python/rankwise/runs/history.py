"""Runs of one configuration over time: their trend, and since when they have been slower or faster."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from rankwise.comparison.change import Change, timed
from rankwise.comparison.compare import Changed, Comparison, compare
from rankwise.comparison.figures import Figures
from rankwise.records import dataclass
from rankwise.runs.change_points import FALSE_ALARMS, LEAST_POINTS, ChangePoint, change_points
from rankwise.runs.groups import Chosen
from rankwise.runs.recorded import ENDS_OF_MPI, Recorded, recorded
from rankwise.runs.significance import LEVEL, corrected, rank_sum_chance

COMMIT, DAY, RUN = "commit", "day", "run"
BY = (COMMIT, DAY, RUN)
"""What a point of a history is."""

OUTSIDE, ENDS = "outside MPI", "MPI_Init and MPI_Finalize"

_LEAST_SHARE = 0.05
"""Of the change of the wall time: less explains nothing."""
_ENOUGH = 0.9
"""Of the change of the wall time: no further causes are named."""
_MAY_EXPLAIN = 0.5
"""Of the change of the wall time: if the time without a processor changed by more, it may be the reason."""
_FEW_HOSTS = 0.5
"""Of the hosts: if more of them changed, the change is not theirs."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """The runs of a commit, of a day, or one run.

    Attributes:
        commit: '' = unknown, or several.
        started: start of its first run.
        profiles: paths.
        wall_seconds: run time, median.
        least_wall_seconds: shortest.
        most_wall_seconds: longest.
        mpi_percent: time in MPI in percent of the run, median.
        outside_seconds: outside MPI, mean per rank, median.
        parallel_efficiency: median; None = unknown.
        rows: seconds of calls on a communicator, mean per rank, median; the largest, in the order of
            the history.
    """

    commit: str
    started: str
    profiles: list[str]
    wall_seconds: float
    least_wall_seconds: float
    most_wall_seconds: float
    mpi_percent: float
    outside_seconds: float
    parallel_efficiency: float | None
    rows: list[float]


@dataclass(frozen=True, kw_only=True)
class Cause:
    """What explains a part of a change.

    Attributes:
        communicator: name of the family; '' = no call.
        user_name: name that the program gave to it.
        procedure: '' = no call.
        apart: `outside MPI` or `MPI_Init and MPI_Finalize`; '' = a call.
        seconds: mean per rank.
        percent_of_change: of the change of the wall time.
        sites: call sites that changed most.
        regions: regions whose calls changed most.
        hosts: the few hosts whose ranks changed.
    """

    communicator: str
    user_name: str
    procedure: str
    apart: str
    seconds: Change
    percent_of_change: float
    sites: list[str]
    regions: list[str]
    hosts: list[str]


@dataclass(frozen=True, kw_only=True)
class HistoryChange:
    """A change of the run time.

    Attributes:
        before: index of the last point before it.
        after: index of the first point after it.
        chance: upper bound of the probability to find such a change in a history without changes.
        wall: run time of all runs from the change before it on, and up to the next.
        causes: a change of few hosts first, then the largest.
        explained_percent: of the change of the wall time, by the causes; at most 100.
        new_hosts: hosts of all runs after it that no run before it had; [] = there is no such difference.
        kernels_before: releases of Linux on the nodes of all runs before it; [] = a run's are not known, or
            a run after it has one of them.
        kernels_after: the same of the runs after it.
        without_processor: time that threads were ready but had no processor, summed, mean per rank, if its
            change is significant and at least half of the change of the wall time; None = it is not.
    """

    before: int
    after: int
    chance: float
    wall: Change
    causes: list[Cause]
    explained_percent: float
    new_hosts: list[str]
    kernels_before: list[str]
    kernels_after: list[str]
    without_processor: Change | None


@dataclass(frozen=True, kw_only=True)
class History:
    """The runs of a configuration over time.

    Attributes:
        chosen: the runs.
        by: what a point is: one of `BY`.
        rows: names of the rows of the points: communicator, the program's name for it, and procedure.
        points: in the order of time.
        changes: in the order of time.
        least_points: number of points that are needed to separate a change from noise.
        false_alarm_percent: highest probability of changes that do not exist.
        newest: the points after the newest change, compared with those between it and the change before it;
            None = no change.
    """

    chosen: Chosen
    by: str
    rows: list[tuple[str, str, str]]
    points: list[Point]
    changes: list[HistoryChange]
    least_points: int
    false_alarm_percent: float
    newest: Comparison | None

    @property
    def is_known(self) -> bool:
        """Whether there are enough points to tell a change from noise."""
        return len(self.points) >= self.least_points

    def is_worse_by_more(self, percent: float) -> bool:
        """Return whether the newest change is to the worse, and by more than this."""
        if not self.changes:
            return False
        wall = self.changes[-1].wall
        return wall.change > 0 and wall.after > wall.before * (1 + percent / 100)


def history(chosen: Chosen, by: str = "", rows: int = 3) -> History:
    """Return the history of the runs of a configuration.

    Args:
        chosen: the runs.
        by: what a point is: one of `BY`; '' = commits if the runs have several, else runs.
        rows: number of rows of the points.

    Raises:
        RankwiseError: a profile turns out to be damaged.
    """
    known = by or (COMMIT if len({run.run.tags.get(COMMIT, "") for run in chosen.runs}) > 1 else RUN)
    groups = _grouped(chosen.runs, known)
    largest = _largest_rows(chosen.runs, rows)
    points = [_point(group, largest) for group in groups]
    found = change_points([point.wall_seconds for point in points])
    cuts = [0, *(point.begin for point in found), len(points)]
    segments = [
        [recorded(run) for group in groups[first:last] for run in group] if found else []
        for first, last in pairwise(cuts)
    ]
    changes = []
    newest = None
    for point, (before, after) in zip(found, pairwise(segments), strict=True):
        newest = compare([run.figures for run in before], [run.figures for run in after])
        changes.append(_change(point, newest, before, after))
    names = {family: name for run in chosen.runs for family, name in run.user_names.items()}
    return History(
        chosen=chosen,
        by=known,
        rows=[(family, names.get(family, ""), procedure) for family, procedure in largest],
        points=points,
        changes=changes,
        least_points=LEAST_POINTS,
        false_alarm_percent=100 * FALSE_ALARMS,
        newest=newest,
    )


def _grouped(runs: Sequence[Figures], by: str) -> list[list[Figures]]:
    """Return the runs of each point, in the order of their first runs; runs without a commit are apart."""
    keys: dict[str, Callable[[Figures], str]] = {
        COMMIT: lambda run: run.run.tags.get(COMMIT) or str(run.path),
        DAY: lambda run: run.run.started[:10],
        RUN: lambda run: str(run.path),
    }
    groups: dict[str, list[Figures]] = {}
    for run in runs:
        groups.setdefault(keys[by](run), []).append(run)
    return [*groups.values()]


def _largest_rows(runs: Sequence[Figures], count: int) -> list[tuple[str, str]]:
    """Return the calls on a communicator that take most time in all runs together."""
    seconds: dict[tuple[str, str], float] = {}
    for run in runs:
        for (family, procedure), amount in run.amounts["communicator_calls"].items():
            if procedure not in ENDS_OF_MPI:
                seconds[family, procedure] = seconds.get((family, procedure), 0.0) + amount.seconds
    return sorted((key for key in seconds if seconds[key]), key=lambda key: -seconds[key])[:count]


def _point(runs: Sequence[Figures], rows: Sequence[tuple[str, str]]) -> Point:
    def median(of: Callable[[Figures], float]) -> float:
        return statistics.median(map(of, runs))

    def seconds(run: Figures, row: tuple[str, str]) -> float:
        amount = run.amounts["communicator_calls"].get(row)
        return amount.seconds if amount else 0.0

    commits = {run.run.tags.get(COMMIT, "") for run in runs}
    walls = [run.whole["wall"] for run in runs]
    efficiencies = [
        run.diagnosis.account.efficiency.parallel for run in runs if run.diagnosis.account.efficiency
    ]
    return Point(
        commit=next(iter(commits)) if len(commits) == 1 else "",
        started=runs[0].run.started,
        profiles=[str(run.path) for run in runs],
        wall_seconds=statistics.median(walls),
        least_wall_seconds=min(walls),
        most_wall_seconds=max(walls),
        mpi_percent=median(lambda run: run.whole["mpi_percent"]),
        outside_seconds=median(lambda run: run.whole["other"]),
        parallel_efficiency=statistics.median(efficiencies) if efficiencies else None,
        rows=[median(lambda run, row=row: seconds(run, row)) for row in rows],  # type: ignore[misc]
    )


def _change(
    point: ChangePoint, compared: Comparison, before: Sequence[Recorded], after: Sequence[Recorded]
) -> HistoryChange:
    causes = _causes(compared, before, after)
    old = {host for run in before for host in run.ranks_of_host}
    in_all = set.intersection(*({*run.ranks_of_host} for run in after))
    kernels_before, kernels_after = _other_kernels(before, after)
    return HistoryChange(
        before=point.begin - 1,
        after=point.begin,
        chance=point.chance,
        wall=compared.figure("wall").value,
        causes=causes,
        explained_percent=min(sum(cause.percent_of_change for cause in causes), 100.0),
        new_hosts=sorted(in_all - old),
        kernels_before=kernels_before,
        kernels_after=kernels_after,
        without_processor=_without_processor(compared.figure("wall").value, before, after),
    )


def _other_kernels(before: Sequence[Recorded], after: Sequence[Recorded]) -> tuple[list[str], list[str]]:
    """Return the releases of Linux on both sides if they are known and have none in common, else none."""
    runs = [[{*run.figures.run.kernels} for run in side] for side in (before, after)]
    early, late = ({release for releases in side for release in releases} for side in runs)
    if early & late or not all(releases for side in runs for releases in side):
        return [], []
    return sorted(early), sorted(late)


def _without_processor(wall: Change, before: Sequence[Recorded], after: Sequence[Recorded]) -> Change | None:
    sides = [[run.without_processor for run in side] for side in (before, after)]
    known = [[seconds for seconds in side if seconds is not None] for side in sides]
    if known != sides:
        return None
    change = timed(known[0], known[1])
    is_sure = rank_sum_chance(change.before_runs, change.after_runs) <= LEVEL
    return change if is_sure and change.change / wall.change >= _MAY_EXPLAIN else None


def _causes(compared: Comparison, before: Sequence[Recorded], after: Sequence[Recorded]) -> list[Cause]:
    """Return what changed significantly, and adds up to most of the change of the wall time."""
    wall = compared.figure("wall").value.change
    parts: list[tuple[Change, str | Changed]] = [
        (compared.figure("other").value, OUTSIDE),
        (compared.figure("init_finalize").value, ENDS),
        *(
            (row.seconds, row)
            for row in compared.rows["communicator_calls"]
            if row.procedure not in ENDS_OF_MPI
        ),
    ]
    large = [part for part in parts if _spread(part[0]) >= _LEAST_SHARE * abs(wall)]
    chances = corrected([rank_sum_chance(part.before_runs, part.after_runs) for part, _ in large])
    surely = [
        (change, what)
        for (change, what), chance in zip(large, chances, strict=True)
        if chance <= LEVEL and change.change * wall > 0
    ]
    causes: list[Cause] = []
    explained = 0.0
    for change, what in sorted(surely, key=lambda part: -abs(part[0].change)):
        share = change.change / wall
        if share < _LEAST_SHARE or explained >= _ENOUGH:
            break
        explained += share
        causes.append(_cause(change, what, 100 * share, compared, before, after))
    return sorted(causes, key=lambda cause: not cause.hosts)  # the ranks of all other hosts wait for these


def _spread(change: Change) -> float:
    """Return the difference between the runs with the most and the least, whichever side they are on."""
    values = [*change.before_runs, *change.after_runs]
    return max(values) - min(values)


def _cause(
    change: Change,
    what: str | Changed,
    percent: float,
    compared: Comparison,
    before: Sequence[Recorded],
    after: Sequence[Recorded],
) -> Cause:
    if isinstance(what, str):
        outside = what == OUTSIDE
        return Cause(
            communicator="",
            user_name="",
            procedure="",
            apart=what,
            seconds=change,
            percent_of_change=percent,
            sites=[],
            regions=_regions(change.change, before, after) if outside else [],
            hosts=_hosts(before, after) if outside else [],
        )
    sites = [row for row in compared.rows["sites"] if row.procedure == what.procedure]
    return Cause(
        communicator=what.communicator,
        user_name=what.user_name,
        procedure=what.procedure,
        apart="",
        seconds=change,
        percent_of_change=percent,
        sites=[row.site for row in _main(sites, change.change) if row.site],
        regions=[row.region for row in _main(compared.rows["regions"], change.change) if row.region],
        hosts=[],
    )


def _main(rows: Sequence[Changed], change: float) -> Iterator[Changed]:
    """Return the rows that make up most of a change, each at least half of it."""
    yield from (row for row in rows if row.seconds.change / change >= 0.5)


def _regions(change: float, before: Sequence[Recorded], after: Sequence[Recorded]) -> list[str]:
    """Return the regions whose time outside MPI makes up at least half of a change."""
    names = {path for run in (*before, *after) for path in run.regions}

    def outside(run: Recorded, path: str) -> float:
        amount = run.figures.amounts["regions"].get((path.rpartition("/")[2],))
        return run.regions.get(path, 0.0) - (amount.seconds if amount else 0.0)

    def difference(path: str) -> float:
        early, late = (statistics.median(outside(run, path) for run in side) for side in (before, after))
        return late - early

    return [path for path in sorted(names) if difference(path) / change >= 0.5]


def _hosts(before: Sequence[Recorded], after: Sequence[Recorded]) -> list[str]:
    """Return hosts whose ranks changed their time outside MPI, if most hosts did not."""
    names = sorted({host for run in (*before, *after) for host in run.ranks_of_host})
    sides = [
        {host: [run.outside_of_host[host] for run in side if host in run.ranks_of_host] for host in names}
        for side in (before, after)
    ]
    both = [host for host in names if sides[0][host] and sides[1][host]]
    changes: dict[str, Change] = {host: timed(sides[0][host], sides[1][host]) for host in both}
    chances = corrected(
        [rank_sum_chance(change.before_runs, change.after_runs) for change in changes.values()]
    )
    changed = [host for host, chance in zip(both, chances, strict=True) if chance <= LEVEL]
    return changed if len(changed) <= _FEW_HOSTS * len(both) else []
