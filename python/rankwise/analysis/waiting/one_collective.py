"""One collective on one communicator: who waited how long for whom, from a sample of its instances.

What is estimated is the share of the waiting in the sample of a member's calls times the time that its calls
really took, which is known exactly, and so is their number. The calls that ended the longest steps were kept
besides: they stand for themselves, and the sample for the rest. By how much that may be wrong is told by
`rankwise.analysis.waiting.errors`.
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

_ROUNDING = 1e-12  # of a sum: what is left of it where all has been subtracted

Times = Mapping[tuple[int, str], Mapping[int, tuple[int, float]]]
"""Calls and seconds by rank, by communicator and procedure, of all calls that are looked at."""

_LEAST_WEIGHT = 0.1
"""Of a call in the sample, against the mean."""
_OF_PAIRS = 2
"""Calls of a collective among neighbours are kept in pairs, and the two may be like each other."""


@dataclass(kw_only=True)
class Table:
    """One collective on one communicator; arrays by member, what makes estimates wrong in columns.

    Attributes:
        found: the instances that are known, n x m.
        waits: in them.
        weights: how many seconds one of each call stands for, n x m; 0 where that is not known.
        calls: of one member, exact.
        kept: of these, in `found`.
        inconsistent: left out beside these, because their times can't be true.
        seconds: of each member in the calls, exact; 0 where the sample has none of them.
        waiting: of that, an estimate.
        doubts: about `waiting`.
        total_doubts: about its sum; one column.
        caused: waiting of the others for each member.
        caused_doubts: about that.
        last: instances in which the member had the others wait most.
        saved: if in each instance the last one had come with the second last.
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


def _weights(found: Instances, seconds: Floats, number: Floats) -> Floats:
    """Return what a second of each call stands for, n x m: 0 where that is not known.

    Long calls are mostly long for the waiting in them. Where the sample has by chance too little time, the
    calls that were longer than usual count for more: those in the sample by weights that are linear in their
    length (calibration: Deville and Sarndal, Journal of the American Statistical Association 87, 1992), and
    the longest ones, too, for what is missing is rather like them, if not quite as long.

    Args:
        found: all instances.
        seconds: of each member in all calls.
        number: of each member's calls.
    """
    is_long = found.is_long
    length, selected = _length(found), found.selected
    each: Floats = np.ones(found.arrival.shape)
    rest = _rest(found, seconds)
    calls = number - selected[is_long].sum(axis=0)
    kept = selected[~is_long].sum(axis=0).astype(np.float64)
    mean = _ratio(length[~is_long].sum(axis=0), kept)
    missing = np.where(kept > 0, rest - calls * mean, 0.0)
    apart = np.where(selected[~is_long], length[~is_long] - mean, 0.0)
    if is_long.any():
        steps = found.length[is_long].max(axis=1, keepdims=True)
        like = np.where(selected[is_long], steps.min() / steps, 0.0)  # as long as the shortest of them
        longer = np.maximum(like * length[is_long] - mean, 0.0)
        whole = (longer**2).sum(axis=0) + _ratio(calls, kept) * (apart**2).sum(axis=0)
        more = np.maximum(missing, 0.0) * _ratio(longer, np.broadcast_to(whole, longer.shape))
        each[is_long] += like * more
        rest = rest - (like * more * length[is_long]).sum(axis=0)
        calls = calls - more.sum(axis=0)
    each[~is_long] = _calibrated(length[~is_long], apart, _ratio(calls, kept), rest)
    return each


def _calibrated(length: Floats, apart: Floats, number: Floats, seconds: Floats) -> Floats:
    """Return weights of the calls in a sample so that number and time of all calls come out.

    What would need weights near 0 is left to one factor for all.

    Args:
        length: of the calls in the sample, n x m.
        apart: by how much each is longer than the mean, n x m.
        number: of calls that each stands for, m.
        seconds: of all calls, m.
    """
    missing = seconds - number * length.sum(axis=0)
    change = apart * _ratio(missing, (apart**2).sum(axis=0))
    lowest = -np.min(change, axis=0, initial=0.0)
    part = np.where(lowest > 0, np.minimum(_ratio((1.0 - _LEAST_WEIGHT) * number, lowest), 1.0), 0.0)
    each = number + part * change
    scaled: Floats = each * _ratio(seconds, (each * length).sum(axis=0))
    return scaled


def _rest(found: Instances, seconds: Floats) -> Floats:
    """Return the seconds of each member in the calls that the sample stands for."""
    rest: Floats = np.maximum(seconds - _length(found)[found.is_long].sum(axis=0), 0.0)
    return rest


def table_of(found: Instances, times: Times) -> Table | None:
    """Return who waited for whom; None = of no instance the times can be true.

    Args:
        found: all instances of the sample.
        times: exact.
    """
    own = times.get((found.communicator, found.procedure), {})
    good = consistent(found)
    inconsistent = int((~good).sum())
    found = found.of(good & ~found.follows_long)
    if not len(found.numbers):
        return None
    number = np.array([own.get(rank, (0, 0.0))[0] for rank in found.ranks.tolist()], float)
    seconds = np.array([own.get(rank, (0, 0.0))[1] for rank in found.ranks.tolist()])
    if found.procedure in PERSISTENT:
        number *= found.selected.mean(axis=0)  # (How often it was started in a part of the run is not known.)
    if found.procedure in POSTED:
        # Only their number is exact: their time is that of the calls that complete them.
        kept = found.selected.sum(axis=0).astype(np.float64)
        seconds = number * _ratio(_length(found).sum(axis=0), kept)
    calls = max((count for count, _ in own.values()), default=0)
    known = waits(found)
    scale = _weights(found, seconds, number)
    length = _length(found)
    of_rest = ~found.is_long
    rest = np.where(scale[of_rest].any(axis=0), _rest(found, seconds), 0.0)
    seconds = rest + length[~of_rest].sum(axis=0)
    selected = np.where(found.selected, scale, 0.0)  # n x m
    each = selected * known.seconds
    waited = each.sum(axis=0)
    themselves = np.where(found.selected, known.seconds, 0.0)[~of_rest].sum(axis=0)
    share = np.clip(_ratio(waited - themselves, rest), 0.0, 1.0)
    residuals = scale[of_rest] * _unexplained(
        known.seconds[of_rest], length[of_rest], found.selected[of_rest]
    )
    n = int(found.selected[of_rest].any(axis=1).sum())
    others = calls - int(found.selected[~of_rest].any(axis=1).sum())
    unseen = max(1.0 - n / others, 0.0) if others > 0 else 0.0
    factor = n / (n - 1) * unseen if n > 1 else 0.0
    if found.is_of(FOR_NEIGHBOURS):
        factor *= _OF_PAIRS
    moments = _moments(residuals, factor)
    total_moments = _moments(residuals.sum(axis=1), factor)
    alone = n == 1 and unseen > 0  # nothing tells how the others differ
    if alone:
        moments[0] = each[of_rest].sum(axis=0) ** 2
        total_moments[0] = each[of_rest].sum() ** 2
    shifted = selected * np.where(known.whose != NOBODY, found.uncertain(known.whose), 0.0)
    kept = found.selected[of_rest].sum(axis=0).astype(np.float64)
    of_sample = length[of_rest]
    sampled = compare(
        number - found.selected[~of_rest].sum(axis=0),
        rest,
        kept,
        of_sample.sum(axis=0),
        (of_sample**2).sum(axis=0),
    )
    doubts = np.where(_may_wait(found), doubts_of(moments, share, sampled, shifted.sum(axis=0)), 0.0)
    total_doubts = np.concatenate([total_moments, doubts[2:].sum(axis=1)])
    caused, caused_doubts = _by_whom(found, known, each, shifted, factor, alone, rest, sampled)
    last = _last_of(known, each)
    often = last[of_rest] if of_rest.any() else last
    for_last = (known.whose == last[:, None]) & (known.whose != NOBODY)
    return Table(
        found=found,
        waits=known,
        weights=scale,
        calls=calls,
        kept=len(found.numbers),
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
    """Return the waiting of each call beside what its length has one expect (Cochran, Sampling Techniques,
    3rd edition, section 7.3).
    """
    kept = np.maximum(selected.sum(axis=0), 1)
    waited = np.where(selected, waited, 0.0)
    apart = np.where(selected, length - length.sum(axis=0) / kept, 0.0)
    slope = _ratio((apart * waited).sum(axis=0), (apart**2).sum(axis=0))
    rest: Floats = np.where(selected, waited - waited.sum(axis=0) / kept, 0.0) - slope * apart
    return rest


def _length(found: Instances) -> Floats:
    length: Floats = np.where(found.selected, found.length, 0.0)
    return length


def _ratio(values: Floats, by: Floats) -> Floats:
    found: Floats = np.divide(values, by, out=np.zeros(values.shape), where=by > 0)
    return found


def _may_wait(found: Instances) -> NDArray[np.bool_]:
    """Tell of each member whether it has anybody to wait for: the root of a broadcast has not, for one."""
    members = np.arange(len(found.ranks))
    roots = distinct(found.roots[found.roots != NOBODY])
    if found.is_of(FOR_ROOT):
        return ~np.isin(members, roots) if len(roots) == 1 else np.ones(len(members), bool)
    if found.is_of(FOR_OTHERS):
        return np.isin(members, roots)
    if found.is_of(FOR_LOWER):
        lower: NDArray[np.bool_] = found.places > found.places.min()
        return lower
    if found.is_of(FOR_NEIGHBOURS):
        some: NDArray[np.bool_] = np.any(found.neighbours != NOBODY, axis=1)
        return some
    return np.ones(len(members), bool)


def _of_others(found: Instances, doubts: Floats) -> Floats:
    """Return for each member the sum over all others that could have waited for it.

    Args:
        found: all instances.
        doubts: one column a member.
    """
    could = np.where(_may_wait(found), doubts, 0.0)
    if found.is_of(FOR_LOWER):
        order = np.argsort(found.places)[::-1]
        higher = np.empty_like(could)
        higher[:, order] = np.cumsum(could[:, order], axis=1) - could[:, order]
        return higher
    if found.is_of(FOR_NEIGHBOURS):
        around = np.zeros_like(could)
        members, columns = np.nonzero(found.neighbours != NOBODY)
        for row, values in zip(around, could, strict=True):
            row += np.bincount(found.neighbours[members, columns], values[members], len(row))
        return around
    sums = could.sum(axis=1, keepdims=True)
    others: Floats = sums - could
    others[others < _ROUNDING * sums] = 0.0
    if found.is_of(FOR_ROOT):
        others[:, ~np.isin(np.arange(len(found.ranks)), found.roots)] = 0.0
    return others


def _moments(rest: Floats, factor: float) -> Floats:
    """Return the moments of a sum over a sample, of the differences from what is expected, by instance."""
    return np.stack([factor * (rest**2).sum(axis=0), factor**2 * (rest**3).sum(axis=0)])


def _by_whom(
    found: Instances,
    known: Waits,
    each: Floats,
    shifted: Floats,
    factor: float,
    alone: bool,
    exact: Floats,
    sampled: Sampled,
) -> tuple[Floats, Floats]:
    """Return the waiting for each member, and the doubts about it.

    Nobody knows for whom it was waited in time that the sample does not explain: it may be for anybody.
    """
    members, of_rest = len(exact), ~found.is_long
    rows, waiters = np.nonzero(known.whose != NOBODY)
    whose = known.whose[rows, waiters]
    caused: Floats = np.bincount(whose, each[rows, waiters], members).astype(np.float64)
    nothing, none = np.zeros(members), np.zeros((2, members))
    for_nobody = doubts_of(none, nothing, sampled, nothing)
    doubts = _of_others(found, for_nobody)
    doubts[-1] = np.bincount(whose, shifted[rows, waiters], members)
    here = of_rest[rows]
    whose, waiters, seconds = whose[here], waiters[here], each[rows, waiters][here]
    count, place = int(of_rest.sum()), (np.cumsum(of_rest) - 1)[rows[here]]
    by_instance = np.bincount(whose * count + place, seconds, members * count).reshape(members, count).T
    doubts[:2] = 0.0
    if count:
        doubts[:2] = _moments(by_instance - by_instance.mean(axis=0), factor)
    if alone:
        doubts[0] = by_instance.sum(axis=0) ** 2
    pairs = Groups({"whose": whose, "waiter": waiters}, ["whose", "waiter"])
    who, waited = pairs.keys["waiter"], pairs.total(seconds)
    own = Sampled(sampled.unseen[who], sampled.beyond[who])
    nothing, none = np.zeros(len(who)), np.zeros((2, len(who)))
    more = doubts_of(none, _ratio(waited, exact[who]), own, nothing) - for_nobody[:, who]
    for row in range(2, len(doubts) - 1):
        doubts[row] += np.bincount(pairs.keys["whose"], more[row], members)
    found_doubts: Floats = np.maximum(doubts, 0.0)
    return caused, found_doubts


def _last_of(known: Waits, each: Floats) -> NDArray[np.int64]:
    """Return for each instance who had the others wait most, `NOBODY` where nobody waited."""
    last = np.full(len(each), NOBODY)
    for row in np.flatnonzero(each.sum(axis=1) > 0).tolist():
        whose = known.whose[row]
        waited = whose != NOBODY
        last[row] = np.bincount(whose[waited], weights=each[row][waited]).argmax()
    return last
