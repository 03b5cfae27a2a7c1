"""Outliers: ranks, nodes and links that are slower than the rest of their level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.measurement import Measurement, Pairs
from rankwise.topology.hierarchy.compare import adjusted_rand, hwloc_partitions, numbered_keys
from rankwise.topology.hierarchy.distances import View, best_statistic, mean_rate
from rankwise.topology.hierarchy.effects import Fit, Unit
from rankwise.topology.hierarchy.explain import Explanation
from rankwise.topology.hierarchy.levels import Level, Outlier
from rankwise.topology.hierarchy.slow_nodes import SLOW_NODE, kind_of_node
from rankwise.topology.hierarchy.slow_pairs import slow_pairs


def outliers(
    measurement: Measurement, views: Sequence[View], explanation: Explanation, levels: Sequence[Level]
) -> tuple[Outlier, ...]:
    """Return the outliers, the worst first.

    Args:
        measurement: of N ranks.
        views: of it.
        explanation: of the views, with the partitions of the levels.
        levels: named.
    """
    names = _Names(measurement, levels)
    hosts = np.array([rank.host for rank in measurement.ranks])
    fits = explanation.fits
    outliers_found = []
    shown: dict[Unit, list[int]] = {}
    for effect in explanation.effects:
        shown.setdefault(effect.unit, []).append(effect.view)
    inside = {unit.ends[0] for unit in shown if unit.inside}
    for unit, places in [*shown.items(), *slow_pairs(fits).items()]:
        kind, where = names.unit(unit)
        if kind == SLOW_NODE and unit.ends[0] not in inside:
            kind = kind_of_node(fits, unit, {place: _slowness(fits[place], unit) for place in places}, hosts)
        for place in _representatives(views, places):
            fit, view = fits[place], views[place]
            level, value, expected = _worst(fit, unit)
            verdict = _verdict(measurement, view, unit, value, expected)
            if view.what == "bandwidth":
                value, expected = 1 / value, 1 / expected
            ranks = tuple(sorted(rank for end in unit.ends for rank in end))
            outliers_found.append(
                Outlier(
                    kind=kind,
                    where=where,
                    ranks=ranks,
                    what=view.what,
                    size=view.size,
                    value=value,
                    expected=expected,
                    level=levels[level].name,
                    verdict=verdict,
                )
            )
    outliers_found += _misplaced(measurement, views, levels, names)
    return tuple(
        sorted(outliers_found, key=lambda outlier: -abs(float(np.log(outlier.value / outlier.expected))))
    )


def _representatives(views: Sequence[View], places: Sequence[int]) -> Iterator[int]:
    """Yield a view each for latency and bandwidth: slow large messages say nothing about latency."""
    kinds: Mapping[bool, list[int]] = {
        rate: [place for place in places if views[place].tells_rate is rate] for rate in (False, True)
    }
    if kinds[False]:
        yield min(kinds[False], key=lambda place: views[place].size)
    if kinds[True]:
        yield max(kinds[True], key=lambda place: (views[place].what == "bandwidth", views[place].size))


def _worst(fit: Fit, unit: Unit) -> tuple[int, float, float]:
    """Return the class of a unit's pairs that suffers most, and its measured and expected cost."""
    mine = unit.touches(fit.first, fit.second, fit.count)
    centres = fit.centres()
    candidates = []
    for place in np.unique(fit.classes[mine]).tolist():
        if np.isfinite(centres[place]):
            value = float(np.median(fit.logs[mine & (fit.classes == place)]))
            candidates.append((value - float(centres[place]), place, value, float(centres[place])))
    _, place, value, expected = max(candidates)
    return place, float(np.exp(value)), float(np.exp(expected))


def _slowness(fit: Fit, unit: Unit) -> float:
    """Return the logarithm of measured over expected cost where a unit suffers most."""
    _, value, expected = _worst(fit, unit)
    return float(np.log(value / expected))


def _verdict(measurement: Measurement, view: View, unit: Unit, value: float, expected: float) -> str:
    """Return whether a slow pair was also slow when measured alone; '' if it was not measured again."""
    alone = measurement.alone
    if not len(alone):
        return ""
    mine = unit.touches(alone.first, alone.second, len(measurement.ranks))
    costs = _costs(measurement, alone, view)[mine]
    costs = costs[np.isfinite(costs)]
    if not len(costs):
        return ""
    # Halfway (in logarithms) between the expected and the measured value.
    return "slow alone" if float(np.median(costs)) > (value * expected) ** 0.5 else "slow under load"


def _costs(measurement: Measurement, pairs: Pairs, view: View) -> NDArray[np.float64]:
    """Return the cost of each pair as a view has it."""
    column = measurement.sizes.index(view.size)
    if view.what == "bandwidth":
        both = (pairs.bandwidths[name][:, column] for name in ("forward", "backward"))
        return np.asarray(1 / mean_rate(*both), dtype=np.float64)
    return pairs.times[best_statistic(measurement)][:, column]


def _misplaced(
    measurement: Measurement, views: Sequence[View], levels: Sequence[Level], names: _Names
) -> Iterator[Outlier]:
    """Yield ranks whose measured place on their node differs from the one they are bound to."""
    known = hwloc_partitions(measurement)
    view = views[0]
    for level in levels:
        if level.name not in ("l3", "numa", "package") or level.name not in known:
            continue
        bound = numbered_keys(known[level.name])
        if adjusted_rand(bound, level.groups) == 1:
            continue
        for rank, (own, group) in enumerate(zip(bound.tolist(), level.groups.tolist(), strict=True)):
            others = (bound == own) & (np.arange(len(bound)) != rank)
            near = level.groups == group
            among = np.bincount(bound[near & (np.arange(len(bound)) != rank)], minlength=own + 1)
            if among.sum() == 0 or among.argmax() == own or not others.any():
                continue
            with np.errstate(invalid="ignore"):
                value = float(np.nanmedian(view.cost[rank, others]))
            expected = level.cost.latency_us
            if expected is None or view.what != "latency" or not value > expected:
                continue
            where = f"{names.rank(rank)}, near another {level.name} than it is bound to"
            yield Outlier(
                kind="slow rank",
                where=where,
                ranks=(rank,),
                what="latency",
                size=view.size,
                value=value,
                expected=expected,
                level=level.name,
            )


class _Names:
    """Names of ranks and groups."""

    def __init__(self, measurement: Measurement, levels: Sequence[Level]) -> None:
        self.levels = levels
        self.hosts = measurement.host_names()
        self.of_host: dict[tuple[int, ...], str] = {}
        if len(measurement.hosts) > 1 and all(self.hosts):
            for place, host in enumerate(measurement.hosts):
                ranks = tuple(number for number, rank in enumerate(measurement.ranks) if rank.host == place)
                self.of_host[ranks] = host.name

    def rank(self, rank: int) -> str:
        """Return the name of a rank, with its host where that is known."""
        return f"rank {rank} on {self.hosts[rank]}" if self.hosts[rank] else f"rank {rank}"

    def end(self, ranks: tuple[int, ...]) -> str:
        """Return the name of a group: its host's, else its level's label."""
        if ranks in self.of_host:
            return self.of_host[ranks]
        if len(ranks) == 1:
            return self.rank(ranks[0])
        for level in self.levels:
            group = int(level.groups[ranks[0]])
            if tuple(np.flatnonzero(level.groups == group).tolist()) == ranks:
                return level.labels[group]
        return "ranks " + ", ".join(map(str, ranks))

    def unit(self, unit: Unit) -> tuple[str, str]:
        """Return the kind of an outlier, and where it is."""
        if unit.inside:
            return SLOW_NODE, self.end(unit.ends[0])
        where = " - ".join(self.end(end) for end in unit.ends)
        if all(end in self.of_host for end in unit.ends):
            return (SLOW_NODE if len(unit.ends) == 1 else "slow link"), where
        if len(unit.ends) == 1:
            return ("slow rank" if len(unit.ends[0]) == 1 else "slow group"), where
        if all(len(end) == 1 for end in unit.ends):
            return "slow pair", f"ranks {unit.ends[0][0]} - {unit.ends[1][0]}"
        return "slow link", where
