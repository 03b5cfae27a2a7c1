"""Changes between two measurements: of each level, pair and node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.latency.measurement import Measurement
from rankwise.topology.pairs.matching import Matched, match
from rankwise.topology.pairs.medians import group_medians
from rankwise.topology.pairs.relative import Values, pair_values
from rankwise.topology.pairs.resampling import median_interval, ratio_interval

THRESHOLD = 0.05
"""Share of a value: a smaller change of a median does not count."""

_LEAST_OUTLIER = 5.0  # robust standard deviations
_FALSE_OUTLIERS = 0.01  # expected among all pairs, were their noise normal
_MAD = 1.4826  # of a normal distribution: its standard deviation over the median absolute deviation
_STATISTICS = ("min", "median", "mean")


@dataclass(frozen=True, kw_only=True)
class ClassChange:
    """One value of all pairs of one kind.

    Attributes:
        name: of the level, or the kind of pairs.
        what: `latency` or `bandwidth`.
        size: of the messages, bytes.
        pairs: in both measurements.
        before, after: medians, us or MB/s.
        slowness: median over the pairs of how many times slower each got, or, matched by host, ratio of the
            medians; below 1: faster.
        interval: that holds it with the resampling's confidence; None of a single pair.
        change: `slower`, `faster`, or '' if it may be noise.
    """

    name: str
    what: str
    size: int
    pairs: int
    before: float
    after: float
    slowness: float
    interval: tuple[float, float] | None
    change: str


@dataclass(frozen=True, kw_only=True)
class PairChange:
    """A pair that changed unlike the others of its kind.

    Attributes:
        ends: ranks, or hosts if these were matched.
        hosts: of both, in the first measurement.
        name: of the level, or the kind of pairs.
        what, size, before, after, slowness: of the value that changed most.
        others: median slowness of the kind.
    """

    ends: tuple[int | str, int | str]
    hosts: tuple[str, str]
    name: str
    what: str
    size: int
    before: float
    after: float
    slowness: float
    others: float


@dataclass(frozen=True)
class NodeChange:
    """A node, by its pairs with others and those inside it.

    Attributes:
        host: its name.
        what, size: of the value that changed most.
        pairs: that were compared.
        slowness: median over them.
    """

    host: str
    what: str
    size: int
    pairs: int
    slowness: float


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The changes.

    Attributes:
        by: `rank` or `host`, the key of the matching.
        pairs: in both measurements.
        moved: ranks on another host than before.
        statistic: of the latencies.
        only_before, only_after: message sizes that the other measurement does not have.
        threshold: changes below this share are not called changes.
        levels: for each kind of pairs and each value.
        outliers: pairs that changed unlike the others, the most changed first.
        nodes: all nodes, the most changed first.
    """

    by: str
    pairs: int
    moved: int
    statistic: str
    only_before: tuple[int, ...]
    only_after: tuple[int, ...]
    threshold: float
    levels: tuple[ClassChange, ...]
    outliers: tuple[PairChange, ...]
    nodes: tuple[NodeChange, ...]

    @property
    def changed(self) -> bool:
        """Whether anything changed beyond noise."""
        return bool(self.outliers) or any(level.change for level in self.levels)


@dataclass(frozen=True)
class _Compared:
    """One value of the matched pairs, before and after.

    Attributes:
        values, after, slowness: shape (U,).
        all_before, all_after: of all pairs of the two measurements.
    """

    values: Values
    after: NDArray[np.float64]
    slowness: NDArray[np.float64]
    all_before: NDArray[np.float64]
    all_after: NDArray[np.float64]


def difference(
    before: Measurement, after: Measurement, by: str | None = None, threshold: float = THRESHOLD
) -> Difference:
    """Compare two measurements.

    Args:
        before: the first measurement.
        after: the second measurement.
        by: the key of the matching: one of MATCHES; None: ranks if there are as many, else hosts.
        threshold: smaller changes, as shares, do not count.

    Raises:
        RankwiseError: they have no pair, no message size, or no kind of value in common.
    """
    common = [size for size in before.sizes if size in after.sizes]
    if not common:
        sizes = [", ".join(map(str, m.sizes)) for m in (before, after)]
        raise RankwiseError(
            f"no message size is in both measurements ({sizes[0]}; {sizes[1]} bytes): "
            "measure with the same --sizes"
        )
    matched = match(before, after, by)
    statistic = _statistic(before, after)
    compared = [
        changed
        for what in ("latency", "bandwidth")
        for size in sorted(common)
        if (changed := _compared(before, after, matched, what, size, statistic))
    ]
    if not compared:
        raise RankwiseError(
            "the measurements have no value in common: one has only latencies, the other only bandwidths"
        )
    return Difference(
        by=matched.by,
        pairs=len(matched),
        moved=matched.moved,
        statistic=statistic,
        only_before=tuple(size for size in before.sizes if size not in common),
        only_after=tuple(size for size in after.sizes if size not in common),
        threshold=threshold,
        levels=tuple(change for value in compared for change in _levels(matched, value, threshold)),
        outliers=_outliers(matched, compared, threshold),
        nodes=_nodes(matched, compared),
    )


def _statistic(before: Measurement, after: Measurement) -> str:
    """Return the latency's statistic with the least noise, of those that both have."""
    for name in _STATISTICS:
        if all(np.isfinite(m.pairs.times[name]).any() for m in (before, after)):
            return name
    return _STATISTICS[0]


def _compared(
    before: Measurement, after: Measurement, matched: Matched, what: str, size: int, statistic: str
) -> _Compared | None:
    all_before = pair_values(before, before.pairs, what, size, statistic)
    all_after = pair_values(after, after.pairs, what, size, statistic)
    old, new = matched.before(all_before), matched.after(all_after)
    values = Values(what, size, old)
    slowness = values.slowness(new, old)
    slowness[slowness <= 0] = np.nan
    if np.isnan(slowness).all():
        return None
    return _Compared(values, new, slowness, all_before, all_after)


def _levels(matched: Matched, value: _Compared, threshold: float) -> list[ClassChange]:
    changes = []
    for place, name in enumerate(matched.classes):
        chosen = (matched.class_of == place) & ~np.isnan(value.slowness)
        if not chosen.any():
            continue
        if matched.samples:
            old, new = (
                all_values[(levels == place) & (all_values > 0)]
                for levels, all_values in zip(
                    matched.samples, (value.all_before, value.all_after), strict=True
                )
            )
            over, under = (old, new) if value.values.what == "bandwidth" else (new, old)
            slowness, interval = float(np.median(over) / np.median(under)), ratio_interval(over, under)
        else:
            old, new, ratios = value.values.of[chosen], value.after[chosen], value.slowness[chosen]
            slowness, interval = float(np.median(ratios)), median_interval(ratios)
        changes.append(
            ClassChange(
                name=name,
                what=value.values.what,
                size=value.values.size,
                pairs=int(chosen.sum()),
                before=float(np.median(old)),
                after=float(np.median(new)),
                slowness=slowness,
                interval=interval,
                change=_change(slowness, interval, threshold),
            )
        )
    return changes


def _change(slowness: float, interval: tuple[float, float] | None, threshold: float) -> str:
    if interval is None or interval[0] <= 1 <= interval[1]:
        return ""
    if slowness > 1 + threshold:
        return "slower"
    return "faster" if slowness < 1 / (1 + threshold) else ""


def _outliers(matched: Matched, compared: list[_Compared], threshold: float) -> tuple[PairChange, ...]:
    """Return the pairs that changed otherwise than their kind, in some value, the most changed first."""
    count = len(matched.classes)
    most = np.zeros(len(matched))
    which = np.full(len(matched), -1)
    usual = []
    far_away = _far_away(len(matched) * len(compared))
    for place, value in enumerate(compared):
        logs = np.log(value.slowness)
        medians = group_medians(matched.class_of, logs, count)[matched.class_of]
        apart = np.abs(logs - medians)
        scale = _MAD * group_medians(matched.class_of, apart, count)[matched.class_of]
        far = apart > np.maximum(far_away * scale, np.log1p(threshold))  # False where unknown
        more = far & (apart > most)
        most[more], which[more] = apart[more], place
        usual.append(np.exp(medians))
    order = np.argsort(-most, kind="stable")
    return tuple(
        _pair_change(matched, compared[which[unit]], usual[which[unit]], unit)
        for unit in order[: int((which >= 0).sum())].tolist()
    )


def _far_away(number: int) -> float:
    """Return how many robust standard deviations make an outlier among this many values."""
    from scipy.stats import norm

    return max(_LEAST_OUTLIER, float(norm.isf(_FALSE_OUTLIERS / 2 / number)))


def _pair_change(matched: Matched, value: _Compared, usual: NDArray[np.float64], unit: int) -> PairChange:
    first, second = (matched.hosts[host] for host in matched.host_of[unit])
    first_rank, second_rank = (int(end) for end in matched.ends[unit])
    return PairChange(
        ends=(first_rank, second_rank) if matched.by == "rank" else (first, second),
        hosts=(first, second),
        name=matched.classes[matched.class_of[unit]],
        what=value.values.what,
        size=value.values.size,
        before=float(value.values.of[unit]),
        after=float(value.after[unit]),
        slowness=float(value.slowness[unit]),
        others=float(usual[unit]),
    )


def _nodes(matched: Matched, compared: list[_Compared]) -> tuple[NodeChange, ...]:
    first_host, second_host = matched.host_of[:, 0], matched.host_of[:, 1]
    apart = first_host != second_host
    ends = np.r_[first_host, second_host[apart]]
    best: dict[int, NodeChange] = {}
    for value in compared:
        slowness = np.r_[value.slowness, value.slowness[apart]]
        medians = group_medians(ends, slowness, len(matched.hosts))
        pairs = np.bincount(ends[~np.isnan(slowness)], minlength=len(matched.hosts))
        for host in np.flatnonzero(~np.isnan(medians)).tolist():
            change = NodeChange(
                matched.hosts[host],
                value.values.what,
                value.values.size,
                int(pairs[host]),
                float(medians[host]),
            )
            if host not in best or _distance(change) > _distance(best[host]):
                best[host] = change
    return tuple(sorted(best.values(), key=lambda change: -_distance(change)))


def _distance(change: NodeChange) -> float:
    return abs(float(np.log(change.slowness)))
