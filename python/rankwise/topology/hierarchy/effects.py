"""Slow ranks, groups and pairs of groups: crosses and blocks of a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.topology.hierarchy.clustering import FLOOR, Groups
from rankwise.topology.hierarchy.distances import View

LEAST = float(np.log(1.3))
"""Smaller effects (logarithm of the ratio) can't be distinguished from noise."""

LEAST_INSIDE = 3
"""Fewer pairs inside a node do not prove that it is slow: two ranks may share a processor."""

_LEAST_PAIRS = 2  # one slow pair does not show which end is slow
_CLIP = 2.0
_TRIED = 3
_MANY = 16
_ODD = 4.0
Mask = NDArray[np.bool_]
Values = NDArray[np.float32]


@dataclass(frozen=True)
class Unit:
    """A group whose messages to all others may be slow, or two groups with slow messages between them.

    Attributes:
        ends: the ranks of the one or two groups; the same group twice means the messages inside it.
        place: of the partition with the groups; -1 for a single rank.
    """

    ends: tuple[tuple[int, ...], ...]
    place: int

    @property
    def inside(self) -> bool:
        """Whether it is the messages inside of a group."""
        return len(self.ends) == 2 and self.ends[0] == self.ends[1]

    def touches(self, first: NDArray[np.int64], second: NDArray[np.int64], count: int) -> Mask:
        """Return which pairs of ranks it concerns; shapes of `first` and `second` are broadcast."""
        first_end, *other = (np.isin(np.arange(count), end) for end in self.ends)
        if not other:
            return np.asarray(first_end[first] ^ first_end[second], dtype=bool)
        return np.asarray(
            (first_end[first] & other[0][second]) | (other[0][first] & first_end[second]), dtype=bool
        )


@dataclass(frozen=True)
class Effect:
    """How slow a unit is.

    Attributes:
        unit: which.
        view: place of the view that shows it.
        kind: `delay` (adds to the cost), `cap` (least cost of all its messages) or `factor`.
        amount: in the unit of the cost; a factor has no unit.
        least: the smallest cost that messages of the unit would have without it.
    """

    unit: Unit
    view: int
    kind: str
    amount: float
    least: float


@dataclass(frozen=True)
class Trial:
    """The state of a fit with an additional effect."""

    nats: float
    effect: Effect
    touched: Mask
    model: Values


class Fit:
    """One view, described by classes of pairs and by effects. P pairs, sorted by their class; C classes."""

    def __init__(self, place: int, view: View, classes: NDArray[np.int8], number: int) -> None:
        """Take the measured pairs of a view; `classes` has the shape (N, N), `number` is C."""
        self.place, self.count, self.number = place, len(view.cost), number
        first, second = np.nonzero(np.triu(np.isfinite(view.cost), 1))
        order = np.argsort(classes[first, second], kind="stable")
        self.first, self.second = first[order], second[order]
        self.classes = classes[self.first, self.second]
        self.bounds = np.searchsorted(self.classes, np.arange(number + 1)).tolist()
        self.logs: Values = np.log(view.cost[self.first, self.second])
        self.touched: Mask = np.zeros(len(self.logs), dtype=bool)
        self.everything: Values = self._plain(self.touched)
        self.model = self.everything
        self.nats = self._nats(self.model)

    def _slices(self) -> Iterator[slice]:
        for begin, end in pairwise(self.bounds):
            yield slice(begin, end)

    def centres(self, touched: Mask | None = None) -> Values:
        """Return the median of each class without touched pairs; NaN for a class without others."""
        touched = self.touched if touched is None else touched
        medians = np.full(self.number, np.nan, dtype=np.float32)
        for place, part in enumerate(self._slices()):
            free = self.logs[part][~touched[part]]
            if len(free):
                medians[place] = np.median(free)
        return medians

    def _plain(self, touched: Mask) -> Values:
        """Return the model without effects."""
        return self.centres(touched)[self.classes]

    def _nats(self, model: Values) -> float:
        """Return the length of the description: each class with its own median and mean absolute residual.

        Either of these two takes half the logarithm of the number of pairs (Rissanen 1978).
        """
        residual = np.minimum(np.abs(self.logs - model), _CLIP)
        total = 0.0
        for part in self._slices():
            values = residual[part]
            if len(values):
                total += len(values) * float(np.log(values.mean() + FLOOR)) + float(np.log(len(values)))
        return total

    def residual(self) -> Values:
        """Return the logarithm of measured over expected cost of each pair; 0 where an effect explains it."""
        return np.where(self.touched, np.float32(0), self.logs - self.model)

    def settled(self) -> Values:
        """Return the logarithms as if no unit were slow: centres of classes and residuals."""
        plain = self._plain(self.touched)
        return np.where(self.touched & np.isfinite(plain), plain + self.logs - self.model, self.logs)

    def suspects(self, units: Sequence[Groups], nodes: Sequence[Groups]) -> Iterator[Unit]:
        """Yield the groups with the largest mean residual, pairs of groups and insides; a few of each kind.

        Args:
            units: partitions whose groups may be slow.
            nodes: partitions with groups that may be slow inside.
        """
        residual = np.clip(self.residual(), -_CLIP, _CLIP)
        for place in range(-1, len(units)):
            groups = np.arange(self.count) if place < 0 else units[place]
            sums, numbers = self._blocks(groups, residual)
            with np.errstate(invalid="ignore", divide="ignore"):
                rows, blocks = sums.sum(axis=1) / numbers.sum(axis=1), sums / numbers
            members = {end: tuple(np.flatnonzero(groups == end).tolist()) for end in _odd(rows)}
            for end in members:
                yield Unit((members[end],), place)
            if place < 0:
                continue
            blocks = np.where(np.triu(numbers > 1, 1), blocks, np.nan).ravel()
            for flat in _odd(blocks):
                ends = (np.flatnonzero(groups == end) for end in divmod(flat, len(rows)))
                yield Unit(tuple(tuple(end.tolist()) for end in ends), place)
        for groups in nodes:
            yield from self._insides(groups, residual)

    def _insides(self, groups: Groups, residual: Values) -> Iterator[Unit]:
        """Yield the groups with the largest mean residual inside."""
        chosen = ~self.touched & (groups[self.first] == groups[self.second])
        many = int(groups.max()) + 1
        numbers = np.bincount(groups[self.first[chosen]], None, many)
        sums = np.bincount(groups[self.first[chosen]], residual[chosen], many)
        means = np.where(numbers >= LEAST_INSIDE, sums / np.maximum(numbers, 1), np.nan)
        for group in _odd(means):
            members = tuple(np.flatnonzero(groups == group).tolist())
            yield Unit((members, members), -1)

    def _blocks(self, groups: Groups, values: Values) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return sum and number of untouched values between each two groups: shape (K, K), symmetric."""
        many = int(groups.max()) + 1
        first_group, second_group = groups[self.first], groups[self.second]
        chosen = ~self.touched & (first_group != second_group)
        flat = (first_group * many + second_group)[chosen]
        sums = np.bincount(flat, values[chosen], many * many).reshape(many, many)
        numbers = np.bincount(flat, None, many * many).reshape(many, many).astype(np.float64)
        return sums + sums.T, numbers + numbers.T

    def attempt(self, unit: Unit) -> Trial | None:
        """Return the fit with this unit slow; None if it is not slow, or if nothing compares with it."""
        mine = unit.touches(self.first, self.second, self.count) & ~self.touched
        touched = self.touched | mine
        plain = self._plain(touched)
        mine &= np.isfinite(plain)
        if mine.sum() < (_LEAST_PAIRS if len(unit.ends) == 1 else 1):
            return None
        ratio, classes = (self.logs - plain)[mine], self.classes[mine]
        slower = [float(np.median(ratio[classes == place])) for place in np.unique(classes)]
        if max(slower) < LEAST or min(slower) < -LEAST / 2:
            return None
        base = np.where(self.touched, self.model, plain)
        base = np.where(np.isnan(base), self.everything, base)
        trials = []
        least = float(np.exp(plain[mine].min()))
        for kind, amount, values in _models(self.logs[mine], plain[mine], cross=len(unit.ends) == 1):
            model = base.copy()
            model[mine] = values
            effect = Effect(unit, self.place, kind, amount, least)
            trials.append(Trial(self._nats(model), effect, touched, model))
        return min(trials, key=lambda trial: trial.nats)

    def accept(self, trial: Trial) -> None:
        """Continue with an additional effect."""
        self.nats, self.touched, self.model = trial.nats, trial.touched, trial.model


def _odd(values: NDArray[np.float64]) -> list[int]:
    """Return the places of the largest values; of many values, only of those far from most."""
    known = values[np.isfinite(values)]
    if not len(known):
        return []
    middle = float(np.median(known))
    least = FLOOR
    if len(known) > _MANY:
        least = max(LEAST / 2, middle + _ODD * 1.4826 * float(np.median(np.abs(known - middle))))
    sorted_ = np.argsort(-np.nan_to_num(values, nan=-np.inf))[:_TRIED]
    return [place for place in sorted_.tolist() if values[place] > least]


def _models(logs: Values, plain: Values, cross: bool) -> Iterator[tuple[str, float, Values]]:
    """Yield the ways in which a unit may be slow: kind, amount, logarithms of the costs."""
    if not cross:
        factor = np.median(logs - plain)
        yield "factor", float(np.exp(factor)), plain + factor
        return
    delay = float(np.median(np.exp(logs) - np.exp(plain)))
    if delay > 0:
        yield "delay", delay, np.log(np.exp(plain) + np.float32(delay))
    cap = np.median(logs)
    yield "cap", float(np.exp(cap)), np.maximum(plain, cap)
