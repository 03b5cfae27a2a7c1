"""Waiting in one collective on one communicator, from a sample of its instances.

The estimate is the share of waiting in the sample of a member's calls, times the exact time of its calls. The
number of calls is exact, too. The calls that ended the longest steps were kept in addition: they represent
themselves, and the sample represents the others. `rankwise.analysis.waiting.errors` computes the error.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.waiting.errors import Floats, Sampled, compare, doubts_of
from rankwise.analysis.waiting.instances import NOBODY, Instances, Waits, consistent, waits
from rankwise.analysis.waiting.procedures import (
    FOR_LOWER,
    FOR_NEIGHBOURS,
    FOR_OTHERS,
    FOR_ROOT,
    PERSISTENT,
    POSTED,
)
from rankwise.profile.join.grouping import Groups, distinct
from rankwise.records import dataclass

_ROUNDING = 1e-12  # of a sum: a smaller remainder is a rounding error

Times = Mapping[tuple[int, str], Mapping[int, tuple[int, float]]]
"""Calls and seconds by rank, by communicator and procedure, of all selected calls."""

_LEAST_WEIGHT = 0.1
"""Smallest weight of a call in the sample, relative to the mean."""
_OF_PAIRS = 2
"""Factor of the variance: calls of neighbourhood collectives are kept in pairs, which may be similar."""


@dataclass(kw_only=True)
class Table:
    """One collective on one communicator; arrays by member, with a column of doubts for each.

    Attributes:
        found: the known instances, n x m.
        waits: in them.
        weights: seconds that a second of each call represents, n x m; 0 if unknown.
        calls: number of calls of one member, exact.
        kept: number of these in `found`.
        inconsistent: number of further instances, excluded because their times contradict each other.
        seconds: of each member in the calls, exact; 0 if the sample has none of them.
        waiting: the part of `seconds`, an estimate.
        doubts: about `waiting`.
        total_doubts: about the sum of `waiting`; one column.
        caused: waiting of the others for each member, seconds.
        caused_doubts: about `caused`.
        last: number of instances in which each member caused the most waiting.
        saved: seconds of waiting avoided if the last member of each instance arrived with the second last.
    """

    found: Instances
    waits: Waits
    weights: Floats
    calls: int
    kept: int
    inconsistent: int
    seconds: Floats
    waiting: Floats
    doubts: Floats
    total_doubts: Floats
    caused: Floats
    caused_doubts: Floats
    last: NDArray[np.int64]
    saved: float


def _weights(instances: Instances, seconds: Floats, number: Floats) -> Floats:
    """Return the seconds that a second of each call represents, n x m; 0 if unknown.

    Long calls are mostly long because of waiting. If the sample has too little time by chance, long calls get
    larger weights: calls in the sample get weights that are linear in their length (calibration: Deville and
    Sarndal, Journal of the American Statistical Association 87, 1992), and so do the longest calls, since the
    missing calls rather resemble these, although not quite as long.

    Args:
        instances: all instances.
        seconds: of each member in all calls.
        number: of each member's calls.
    """
    is_long = instances.is_long
    length, selected = _length(instances), instances.selected
    each: Floats = np.ones(instances.arrival.shape)
    remaining = _represented_seconds(instances, seconds)
    calls = number - selected[is_long].sum(axis=0)
    kept = selected[~is_long].sum(axis=0).astype(np.float64)
    mean = _ratio(length[~is_long].sum(axis=0), kept)
    missing = np.where(kept > 0, remaining - calls * mean, 0.0)
    apart = np.where(selected[~is_long], length[~is_long] - mean, 0.0)
    if is_long.any():
        steps = instances.length[is_long].max(axis=1, keepdims=True)
        like = np.where(selected[is_long], steps.min() / steps, 0.0)  # scales each to the shortest of them
        longer = np.maximum(like * length[is_long] - mean, 0.0)
        whole = (longer**2).sum(axis=0) + _ratio(calls, kept) * (apart**2).sum(axis=0)
        more = np.maximum(missing, 0.0) * _ratio(longer, np.broadcast_to(whole, longer.shape))
        each[is_long] += like * more
        remaining = remaining - (like * more * length[is_long]).sum(axis=0)
        calls = calls - more.sum(axis=0)
    each[~is_long] = _calibrated(length[~is_long], apart, _ratio(calls, kept), remaining)
    return each


def _calibrated(length: Floats, apart: Floats, number: Floats, seconds: Floats) -> Floats:
    """Return weights of the calls in a sample that reproduce the number and time of all calls.

    If this would need weights near 0, one factor for all calls covers the remaining difference.

    Args:
        length: of the calls in the sample, seconds, n x m.
        apart: length beyond the mean, seconds, n x m.
        number: of calls that each represents, m.
        seconds: of all calls, m.
    """
    missing = seconds - number * length.sum(axis=0)
    change = apart * _ratio(missing, (apart**2).sum(axis=0))
    lowest = -np.min(change, axis=0, initial=0.0)
    part = np.where(lowest > 0, np.minimum(_ratio((1.0 - _LEAST_WEIGHT) * number, lowest), 1.0), 0.0)
    each = number + part * change
    scaled: Floats = each * _ratio(seconds, (each * length).sum(axis=0))
    return scaled


def _represented_seconds(instances: Instances, seconds: Floats) -> Floats:
    """Return the seconds of each member in the calls that the sample represents."""
    represented: Floats = np.maximum(seconds - _length(instances)[instances.is_long].sum(axis=0), 0.0)
    return represented


def table_of(instances: Instances, times: Times) -> Table | None:
    """Return the waiting in a collective; None = no instance has consistent times.

    Args:
        instances: all instances of the sample.
        times: exact calls and seconds.
    """
    own = times.get((instances.communicator, instances.procedure), {})
    good = consistent(instances)
    inconsistent = int((~good).sum())
    instances = instances.of(good & ~instances.follows_long)
    if not len(instances.numbers):
        return None
    number = np.array([own.get(rank, (0, 0.0))[0] for rank in instances.ranks.tolist()], float)
    seconds = np.array([own.get(rank, (0, 0.0))[1] for rank in instances.ranks.tolist()])
    if instances.procedure in PERSISTENT:
        number *= instances.selected.mean(
            axis=0
        )  # (The number of its starts in a part of the run is unknown.)
    if instances.procedure in POSTED:
        # Only their number is exact: their time is in the calls that complete them.
        kept = instances.selected.sum(axis=0).astype(np.float64)
        seconds = number * _ratio(_length(instances).sum(axis=0), kept)
    calls = max((count for count, _ in own.values()), default=0)
    known = waits(instances)
    scale = _weights(instances, seconds, number)
    length = _length(instances)
    in_sample = ~instances.is_long
    represented = np.where(scale[in_sample].any(axis=0), _represented_seconds(instances, seconds), 0.0)
    seconds = represented + length[~in_sample].sum(axis=0)
    selected = np.where(instances.selected, scale, 0.0)  # n x m
    each = selected * known.seconds
    waited = each.sum(axis=0)
    long_waits = np.where(instances.selected, known.seconds, 0.0)[~in_sample].sum(axis=0)
    share = np.clip(_ratio(waited - long_waits, represented), 0.0, 1.0)
    residuals = scale[in_sample] * _unexplained(
        known.seconds[in_sample], length[in_sample], instances.selected[in_sample]
    )
    n = int(instances.selected[in_sample].any(axis=1).sum())
    others = calls - int(instances.selected[~in_sample].any(axis=1).sum())
    unseen = max(1.0 - n / others, 0.0) if others > 0 else 0.0
    factor = n / (n - 1) * unseen if n > 1 else 0.0
    if instances.is_of(FOR_NEIGHBOURS):
        factor *= _OF_PAIRS
    moments = _moments(residuals, factor)
    total_moments = _moments(residuals.sum(axis=1), factor)
    is_single = n == 1 and unseen > 0  # the spread is unknown
    if is_single:
        moments[0] = each[in_sample].sum(axis=0) ** 2
        total_moments[0] = each[in_sample].sum() ** 2
    shifted = selected * np.where(known.whose != NOBODY, instances.uncertain(known.whose), 0.0)
    kept = instances.selected[in_sample].sum(axis=0).astype(np.float64)
    of_sample = length[in_sample]
    sampled = compare(
        number - instances.selected[~in_sample].sum(axis=0),
        represented,
        kept,
        of_sample.sum(axis=0),
        (of_sample**2).sum(axis=0),
    )
    doubts = np.where(_may_wait(instances), doubts_of(moments, share, sampled, shifted.sum(axis=0)), 0.0)
    total_doubts = np.concatenate([total_moments, doubts[2:].sum(axis=1)])
    caused, caused_doubts = _by_whom(instances, known, each, shifted, factor, is_single, represented, sampled)
    last = _last_of(known, each)
    often = last[in_sample] if in_sample.any() else last
    for_last = (known.whose == last[:, None]) & (known.whose != NOBODY)
    return Table(
        found=instances,
        waits=known,
        weights=scale,
        calls=calls,
        kept=len(instances.numbers),
        inconsistent=inconsistent,
        seconds=seconds,
        waiting=waited,
        doubts=doubts,
        total_doubts=total_doubts,
        caused=caused,
        caused_doubts=caused_doubts,
        last=np.bincount(often[often != NOBODY], minlength=len(seconds)),
        saved=float((selected * known.saved)[for_last].sum()),
    )


def _unexplained(waited: Floats, length: Floats, selected: NDArray[np.bool_]) -> Floats:
    """Return the residual of each call's waiting after regression on its length.

    Source: Cochran, Sampling Techniques, 3rd edition, section 7.3.
    """
    kept = np.maximum(selected.sum(axis=0), 1)
    waited = np.where(selected, waited, 0.0)
    apart = np.where(selected, length - length.sum(axis=0) / kept, 0.0)
    slope = _ratio((apart * waited).sum(axis=0), (apart**2).sum(axis=0))
    residuals: Floats = np.where(selected, waited - waited.sum(axis=0) / kept, 0.0) - slope * apart
    return residuals


def _length(instances: Instances) -> Floats:
    length: Floats = np.where(instances.selected, instances.length, 0.0)
    return length


def _ratio(values: Floats, by: Floats) -> Floats:
    ratio: Floats = np.divide(values, by, out=np.zeros(values.shape), where=by > 0)
    return ratio


def _may_wait(instances: Instances) -> NDArray[np.bool_]:
    """Return for each member whether it can wait: the root of a broadcast cannot, for example."""
    members = np.arange(len(instances.ranks))
    roots = distinct(instances.roots[instances.roots != NOBODY])
    if instances.is_of(FOR_ROOT):
        return ~np.isin(members, roots) if len(roots) == 1 else np.ones(len(members), bool)
    if instances.is_of(FOR_OTHERS):
        return np.isin(members, roots)
    if instances.is_of(FOR_LOWER):
        lower: NDArray[np.bool_] = instances.places > instances.places.min()
        return lower
    if instances.is_of(FOR_NEIGHBOURS):
        has_neighbours: NDArray[np.bool_] = np.any(instances.neighbours != NOBODY, axis=1)
        return has_neighbours
    return np.ones(len(members), bool)


def _of_others(instances: Instances, doubts: Floats) -> Floats:
    """Return for each member the sum over all others that could have waited for it.

    Args:
        instances: all instances.
        doubts: one column for each member.
    """
    could = np.where(_may_wait(instances), doubts, 0.0)
    if instances.is_of(FOR_LOWER):
        order = np.argsort(instances.places)[::-1]
        higher = np.empty_like(could)
        higher[:, order] = np.cumsum(could[:, order], axis=1) - could[:, order]
        return higher
    if instances.is_of(FOR_NEIGHBOURS):
        around = np.zeros_like(could)
        members, columns = np.nonzero(instances.neighbours != NOBODY)
        for row, values in zip(around, could, strict=True):
            row += np.bincount(instances.neighbours[members, columns], values[members], len(row))
        return around
    sums = could.sum(axis=1, keepdims=True)
    others: Floats = sums - could
    others[others < _ROUNDING * sums] = 0.0
    if instances.is_of(FOR_ROOT):
        others[:, ~np.isin(np.arange(len(instances.ranks)), instances.roots)] = 0.0
    return others


def _moments(residuals: Floats, factor: float) -> Floats:
    """Return the moments of a sum over a sample, from its residuals by instance."""
    return np.stack([factor * (residuals**2).sum(axis=0), factor**2 * (residuals**3).sum(axis=0)])


def _by_whom(
    instances: Instances,
    known: Waits,
    each: Floats,
    shifted: Floats,
    factor: float,
    is_single: bool,
    exact: Floats,
    sampled: Sampled,
) -> tuple[Floats, Floats]:
    """Return the waiting for each member, and the doubts about it.

    Time that the sample does not explain may be waiting for any member.
    """
    members, in_sample = len(exact), ~instances.is_long
    rows, waiters = np.nonzero(known.whose != NOBODY)
    whose = known.whose[rows, waiters]
    caused: Floats = np.bincount(whose, each[rows, waiters], members).astype(np.float64)
    nothing, none = np.zeros(members), np.zeros((2, members))
    for_nobody = doubts_of(none, nothing, sampled, nothing)
    doubts = _of_others(instances, for_nobody)
    doubts[-1] = np.bincount(whose, shifted[rows, waiters], members)
    here = in_sample[rows]
    whose, waiters, seconds = whose[here], waiters[here], each[rows, waiters][here]
    count, place = int(in_sample.sum()), (np.cumsum(in_sample) - 1)[rows[here]]
    by_instance = np.bincount(whose * count + place, seconds, members * count).reshape(members, count).T
    doubts[:2] = 0.0
    if count:
        doubts[:2] = _moments(by_instance - by_instance.mean(axis=0), factor)
    if is_single:
        doubts[0] = by_instance.sum(axis=0) ** 2
    pairs = Groups({"whose": whose, "waiter": waiters}, ["whose", "waiter"])
    pair_waiters, waited = pairs.keys["waiter"], pairs.total(seconds)
    own = Sampled(sampled.unseen[pair_waiters], sampled.beyond[pair_waiters])
    nothing, none = np.zeros(len(pair_waiters)), np.zeros((2, len(pair_waiters)))
    more = doubts_of(none, _ratio(waited, exact[pair_waiters]), own, nothing) - for_nobody[:, pair_waiters]
    for row in range(2, len(doubts) - 1):
        doubts[row] += np.bincount(pairs.keys["whose"], more[row], members)
    positive_doubts: Floats = np.maximum(doubts, 0.0)
    return caused, positive_doubts


def _last_of(known: Waits, each: Floats) -> NDArray[np.int64]:
    """Return for each instance the member that caused the most waiting, `NOBODY` if there was no waiting."""
    last = np.full(len(each), NOBODY)
    for row in np.flatnonzero(each.sum(axis=1) > 0).tolist():
        whose = known.whose[row]
        waited = whose != NOBODY
        last[row] = np.bincount(whose[waited], weights=each[row][waited]).argmax()
    return last
