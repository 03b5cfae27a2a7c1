"""Repeated runs of one configuration: what goes with their run time, and hosts that are slow repeatedly."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from rankwise.comparison.figures import Key
from rankwise.records import dataclass
from rankwise.runs.correlation import (
    Values,
    interval_95,
    least_values,
    rank_correlations,
    slope,
    slope_interval_95,
)
from rankwise.runs.groups import Chosen
from rankwise.runs.recorded import ENDS_OF_MPI, Recorded, recorded
from rankwise.runs.significance import LEVEL, corrected, sign_chance

AnyKey = TypeVar("AnyKey")

CALL_ON, COMMUNICATOR, CALL = "call on a communicator", "communicator", "call"
REGION, RANK, HOST, OUTSIDE, ENDS = "region", "rank", "host", "outside MPI", "MPI_Init and MPI_Finalize"
NO_PROCESSOR, PROCESSORS, NETWORK = "without a processor", "processors", "network"
KINDS = (CALL_ON, COMMUNICATOR, CALL, REGION, RANK, HOST, OUTSIDE, ENDS, NO_PROCESSOR, PROCESSORS, NETWORK)
"""Of candidates. All but the last two are times of the run."""

_COUNTERS = (PROCESSORS, NETWORK)
_MOST_RANKS = 256  # of larger jobs, only the hosts are candidates
_LEAST_SHARE = 0.1
"""Of the spread of the run time: times with a smaller spread can't explain it."""
_EXPLAINS = 0.2
"""Of the spread of the run time: less does not go into the verdict."""
_AS_MUCH, _MOSTLY = 0.9, 0.8
_SLOW_PERCENT = 2.0
"""Of a host's time outside MPI: slower hosts are named."""
_LEAST_SLOW_RUNS = 2


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A candidate, and how the run time goes with it.

    Attributes:
        kind: one of `KINDS`.
        communicator: name of the family; '' = none.
        user_name: name that the program gave to it.
        name: procedure, region, host, number of the rank, or counter; '' = none.
        is_time: whether the values are seconds of the run.
        correlation: Spearman's, with the run time.
        low: lower end of its confidence interval of 95 %; None = too few runs.
        high: upper end.
        chance: probability of such a correlation by chance, corrected for the number of candidates (Holm).
        explained_seconds: part of the difference between the fastest and the slowest run that goes with it.
        explained_low: lower end of its interval, by the confidence interval of 95 % of the slope.
        explained_high: upper end.
        values: of the runs, in their order: for calls and regions seconds, mean per rank; for ranks and hosts
            seconds outside MPI.
    """

    kind: str
    communicator: str
    user_name: str
    name: str
    is_time: bool
    correlation: float
    low: float | None
    high: float | None
    chance: float
    explained_seconds: float
    explained_low: float
    explained_high: float
    values: list[float]

    @property
    def is_sure(self) -> bool:
        """Whether it is significant among all candidates."""
        return self.chance <= LEVEL


@dataclass(frozen=True, kw_only=True)
class SlowHost:
    """A host whose ranks compute longer than the ranks of other hosts in the same run, in most runs.

    Attributes:
        host: its name.
        runs: number of runs on it and on others.
        slow_runs: number of runs in which it took longer than the median of the others.
        percent: median of how much longer.
        chance: probability of so many slow runs by chance, corrected for the number of hosts (Holm).
        has_same_ranks: it had the same ranks in all runs, so it may be their work.
    """

    host: str
    runs: int
    slow_runs: int
    percent: float
    chance: float
    has_same_ranks: bool


@dataclass(frozen=True, kw_only=True)
class RunTime:
    """A run.

    Attributes:
        profile: path.
        started: start.
        wall_seconds: of the longest rank.
        mpi_percent: time in MPI in percent of the run.
        hosts: in the order of their first rank.
    """

    profile: str
    started: str
    wall_seconds: float
    mpi_percent: float
    hosts: list[str]


@dataclass(frozen=True, kw_only=True)
class Variance:
    """The runs of a configuration, and what their time goes with.

    Attributes:
        chosen: the runs.
        runs: in the order of time.
        spread_seconds: between the fastest and the slowest run.
        relations: all candidates: the significant ones, what explains most first, then the others.
        main: the relation that says most; None = nothing recorded goes with the run time.
        rivals: of the same kind, which explain about as much: the runs do not show which is more.
        others: of other kinds, which go with the run time as well.
        least_runs: number of runs that are needed for a perfect correlation to be significant.
        slow_hosts: the slowest first.
    """

    chosen: Chosen
    runs: list[RunTime]
    spread_seconds: float
    relations: list[Relation]
    main: Relation | None
    rivals: list[Relation]
    others: list[Relation]
    least_runs: int
    slow_hosts: list[SlowHost]

    @property
    def is_known(self) -> bool:
        """Whether there are enough runs to tell a correlation from chance."""
        return len(self.runs) >= self.least_runs


def variance(chosen: Chosen) -> Variance:
    """Return what goes with the run time of the runs of a configuration.

    Raises:
        RankwiseError: a profile turns out to be damaged.
    """
    runs = [recorded(run) for run in chosen.runs]
    wall = np.array([run.wall for run in runs])
    spread = float(wall.max() - wall.min()) if len(wall) else 0.0
    candidates = _distinct(_candidates(runs, spread)) if spread else []
    relations = sorted(_relations(candidates, wall), key=_order)
    main = _main(relations, spread)
    return Variance(
        chosen=chosen,
        runs=[_run_time(run) for run in runs],
        spread_seconds=spread,
        relations=relations,
        main=main,
        rivals=_rivals(relations, main),
        others=_others(relations, main, spread),
        least_runs=least_values(max(len(relations), 1), LEVEL),
        slow_hosts=_slow_hosts(runs),
    )


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    kind: str
    communicator: str
    user_name: str
    name: str
    values: Values

    @property
    def is_time(self) -> bool:
        return self.kind not in _COUNTERS


def _run_time(run: Recorded) -> RunTime:
    return RunTime(
        profile=str(run.figures.path),
        started=run.figures.run.started,
        wall_seconds=run.wall,
        mpi_percent=run.figures.whole["mpi_percent"],
        hosts=[*run.ranks_of_host],
    )


def _candidates(runs: Sequence[Recorded], spread: float) -> Iterator[_Candidate]:
    """Give the candidates whose values differ, times only if they could explain some of the spread."""
    user_names = {family: name for run in runs for family, name in run.figures.user_names.items()}

    def made(kind: str, of: Callable[[Recorded], float], name: str = "", family: str = "") -> _Candidate:
        values = np.array([of(run) for run in runs], dtype=np.float64)
        return _Candidate(
            kind=kind,
            communicator=family,
            user_name=user_names.get(family, ""),
            name=name,
            values=values,
        )

    def all_candidates() -> Iterator[_Candidate]:
        for kind, rows in ((CALL_ON, "communicator_calls"), (COMMUNICATOR, "communicators"), (CALL, "calls")):
            for key in _in_any([run.figures.amounts[rows] for run in runs]):
                family = "" if kind == CALL else key[0]
                name = "" if kind == COMMUNICATOR else key[-1]
                if name not in ENDS_OF_MPI:
                    yield made(kind, partial(_seconds, rows, key), name, family)
        for path in _in_any([run.regions for run in runs]):
            yield made(REGION, _value(lambda run: run.regions, path), path)
        yield made(OUTSIDE, lambda run: run.figures.whole["other"])
        for host in _in_all([run.outside_of_host for run in runs]):
            yield made(HOST, _value(lambda run: run.outside_of_host, host), host)
        if len(runs[0].outside_of_rank) <= _MOST_RANKS:
            for rank in _in_all([run.outside_of_rank for run in runs]):
                yield made(RANK, _value(lambda run: run.outside_of_rank, rank), str(rank))
        yield made(ENDS, lambda run: run.figures.whole["init_finalize"])
        if all(run.without_processor is not None for run in runs):
            yield made(NO_PROCESSOR, lambda run: run.without_processor or 0.0)
        for counter in _in_all([run.processors for run in runs]):
            yield made(PROCESSORS, _value(lambda run: run.processors, counter), counter)
        for counter in _in_all([run.network for run in runs]):
            yield made(NETWORK, _value(lambda run: run.network, counter), counter)

    for candidate in all_candidates():
        own = float(np.ptp(candidate.values))
        if own > 0 and (not candidate.is_time or own >= _LEAST_SHARE * spread):
            yield candidate


def _seconds(rows: str, key: Key, run: Recorded) -> float:
    amount = run.figures.amounts[rows].get(key)
    return amount.seconds if amount else 0.0


def _value(of: Callable[[Recorded], Mapping[AnyKey, float]], key: AnyKey) -> Callable[[Recorded], float]:
    return lambda run: of(run).get(key, 0.0)


def _in_any(mappings: Sequence[Mapping[AnyKey, Any]]) -> list[AnyKey]:
    return [*dict.fromkeys(key for mapping in mappings for key in mapping)]


def _in_all(mappings: Sequence[Mapping[AnyKey, Any]]) -> list[AnyKey]:
    return [key for key in mappings[0] if all(key in other for other in mappings)]


def _distinct(candidates: Iterator[_Candidate]) -> list[_Candidate]:
    """Leave out candidates with the values of an earlier one, such as the only call on a communicator."""
    distinct: dict[bytes, _Candidate] = {}
    for candidate in candidates:
        distinct.setdefault(candidate.values.round(9).tobytes(), candidate)
    return [*distinct.values()]


def _relations(candidates: Sequence[_Candidate], wall: Values) -> list[Relation]:
    if not candidates or len(wall) < 2:
        return []
    correlations, chances = rank_correlations(wall, np.array([one.values for one in candidates]))
    rows = zip(candidates, correlations.tolist(), corrected(chances.tolist()), strict=True)
    return [_relation(candidate, wall, correlation, chance) for candidate, correlation, chance in rows]


def _relation(candidate: _Candidate, wall: Values, correlation: float, chance: float) -> Relation:
    interval = interval_95(correlation, len(wall))
    ends = [_explained(candidate, wall, end) for end in slope_interval_95(candidate.values, wall)]
    return Relation(
        kind=candidate.kind,
        communicator=candidate.communicator,
        user_name=candidate.user_name,
        name=candidate.name,
        is_time=candidate.is_time,
        correlation=correlation,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        chance=chance,
        explained_seconds=_explained(candidate, wall, slope(candidate.values, wall)),
        explained_low=min(ends),
        explained_high=max(ends),
        values=candidate.values.tolist(),
    )


def _explained(candidate: _Candidate, wall: Values, steepness: float) -> float:
    """Return the part of the difference between the fastest and the slowest run that goes with a candidate.

    A second more of a time can't prolong the run by more than a second, and it can't shorten it.

    Args:
        candidate: with its values.
        wall: run times.
        steepness: of the run times over these values.
    """
    if candidate.is_time:
        steepness = min(max(steepness, 0.0), 1.0)
    fastest, slowest = wall.argmin(), wall.argmax()
    own = float(candidate.values[slowest] - candidate.values[fastest])
    return min(max(steepness * own if own else 0.0, 0.0), float(wall[slowest] - wall[fastest]))


def _order(one: Relation) -> tuple[bool, float, float]:
    if one.is_sure:
        return False, -one.explained_seconds, one.chance
    return True, one.chance, -abs(one.correlation)


def _main(relations: Sequence[Relation], spread: float) -> Relation | None:
    """Return the relation that says most.

    If ranks compute longer, others wait for them: so computing comes before calls. Ranks without a processor
    do both, so this comes first. A more specific relation comes first, if it explains as much.
    """
    sure = [one for one in relations if one.is_sure and one.explained_seconds >= _EXPLAINS * spread]
    times = [one for one in sure if one.is_time]
    most = max((one.explained_seconds for one in times), default=0.0)
    for kinds, share in (
        ((NO_PROCESSOR,), _AS_MUCH),
        ((OUTSIDE,), _MOSTLY),
        ((HOST,), _AS_MUCH),
        ((RANK,), _MOSTLY),
        ((CALL_ON,), _AS_MUCH),
        ((COMMUNICATOR,), _AS_MUCH),
        ((CALL,), _AS_MUCH),
        ((REGION, ENDS, CALL_ON, COMMUNICATOR, CALL, RANK, HOST, OUTSIDE, NO_PROCESSOR), 0.0),
        (_COUNTERS, 0.0),
    ):
        fitting = [one for one in sure if one.kind in kinds and one.explained_seconds >= share * most]
        if fitting:
            return max(fitting, key=lambda one: one.explained_seconds)
    return None


def _rivals(relations: Sequence[Relation], main: Relation | None) -> list[Relation]:
    """Return the relations of the kind of the main one that explain about as much, what explains most first.

    Either their intervals overlap, or they differ by so little that two other runs might have another order.
    """
    if main is None:
        return []
    least = min(main.explained_low, _AS_MUCH * main.explained_seconds)
    same = (one for one in relations if one is not main and one.kind == main.kind and one.is_sure)
    return [one for one in same if one.explained_high >= least]


def _others(relations: Sequence[Relation], main: Relation | None, spread: float) -> list[Relation]:
    """Return the best relation of each other kind that tells something else than the main one."""
    if main is None:
        return []
    calls = (CALL_ON, COMMUNICATOR, CALL)
    same = calls if main.kind in calls else (*calls, RANK, HOST, OUTSIDE)
    best: dict[str, Relation] = {}
    for one in sorted(relations, key=lambda one: -one.explained_seconds):
        if one.is_sure and one.kind not in same and one.explained_seconds >= _EXPLAINS * spread:
            best.setdefault(one.kind, one)
    return [one for one in best.values() if one.kind != main.kind]


def _slow_hosts(runs: Sequence[Recorded]) -> list[SlowHost]:
    """Return hosts that take longer outside MPI than the others of the same run, in so many runs."""
    ratios: dict[str, list[float]] = {}
    ranks: dict[str, list[list[int]]] = {}
    for run in runs:
        outside = run.outside_of_host
        for host, seconds in outside.items():
            rest = [other for name, other in outside.items() if name != host]
            if rest and statistics.median(rest) > 0:
                ratios.setdefault(host, []).append(seconds / statistics.median(rest))
                ranks.setdefault(host, []).append(run.ranks_of_host[host])
    hosts = [host for host in ratios if len(ratios[host]) >= _LEAST_SLOW_RUNS]
    slow = {host: sum(ratio > 1 for ratio in ratios[host]) for host in hosts}
    chances = corrected([sign_chance(slow[host], len(ratios[host])) for host in hosts])
    found = [
        SlowHost(
            host=host,
            runs=len(ratios[host]),
            slow_runs=slow[host],
            percent=100 * (statistics.median(ratios[host]) - 1),
            chance=chance,
            has_same_ranks=all(own == ranks[host][0] for own in ranks[host]),
        )
        for host, chance in zip(hosts, chances, strict=True)
    ]
    sure = [host for host in found if host.chance <= LEVEL and host.percent >= _SLOW_PERCENT]
    return sorted(sure, key=lambda host: -host.percent)
