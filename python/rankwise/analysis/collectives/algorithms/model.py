"""Models of algorithms, and their comparison with recorded messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from rankwise.analysis.collectives.algorithms import blocks
from rankwise.analysis.collectives.algorithms.schedule import Integers, Schedule, Traffic
from rankwise.records import dataclass


@dataclass(frozen=True)
class Shape:
    """The parameters of a call of a collective.

    Attributes:
        processes: number of processes of the communicator.
        root: rank; 0 if the collective has no root.
        size: bytes, as in the size bins; see docs/reference/profile-format.md.
        element: size of an indivisible element, bytes.
        cut: how a buffer is cut into blocks.
        segments: number of segments that each message is split into, in segmented algorithms.
    """

    processes: int
    root: int
    size: int
    element: int = 1
    cut: blocks.Cut = blocks.last_short
    segments: int = 1

    def blocks(self, count: int, size: int | None = None) -> Integers:
        """Bytes of each of the `count` blocks of the buffer."""
        return self.cut((self.size if size is None else size) // self.element, count) * self.element

    def equal_blocks(self) -> Integers:
        """Bytes of the block of each process, if `size` is the size of one block."""
        return np.full(self.processes, self.size, np.int64)


Builder = Callable[[Shape], Schedule | None]


@dataclass(frozen=True)
class Model:
    """An algorithm for a collective.

    Attributes:
        name: for users.
        build: returns its messages; None if the algorithm does not apply to the shape.
        cuts: whether the messages depend on how the buffer is cut into blocks.
        segmented: whether it sends segments.
        drops_empty: whether it omits empty messages, so that their number depends on the cut.
    """

    name: str
    build: Builder
    cuts: bool = False
    segmented: bool = False
    drops_empty: bool = False


@dataclass(frozen=True)
class Match:
    """A model that explains the recorded messages.

    Attributes:
        name: of the algorithm, with the number of segments if there is more than one.
        exact: messages and bytes are equal; else only the messages.
    """

    name: str
    exact: bool


def match(model: Model, shape: Shape, size_known: bool, recorded: Traffic) -> Match | None:
    """Compare a model with the recorded messages.

    If the size or the way to cut the buffer is unknown, equal numbers of messages are an inexact match.
    """
    inexact: Match | None = None
    for variant in _variants(model, shape, int(recorded.messages.sum())):
        schedule = model.build(variant)
        if schedule is None or not np.array_equal(recorded.sent, schedule.sent()):
            continue
        expected = schedule.traffic()
        if not np.array_equal(recorded.messages, expected.messages):
            continue
        name = model.name if variant.segments == 1 else f"{model.name}, {variant.segments} segments"
        if size_known and np.array_equal(recorded.bytes, expected.bytes):
            return Match(name, exact=True)
        if not size_known or (model.cuts and _rounded(expected, recorded)):
            inexact = Match(name, exact=False)
    return inexact


def _variants(model: Model, shape: Shape, total: int) -> Iterator[Shape]:
    """The shapes for which the model sends `total` messages."""
    segments = _segments(model, shape, total)
    if segments is None:
        return
    shape = replace(shape, segments=segments)
    if not model.cuts:
        yield shape
        return
    for element in blocks.ELEMENTS:
        if shape.size % element == 0:
            for cut in blocks.CUTS:
                yield replace(shape, element=element, cut=cut)


def _segments(model: Model, shape: Shape, total: int) -> int | None:
    """The number of segments with which it sends `total` messages; None if there is no such number."""
    if model.drops_empty:
        return 1
    first_count = _count(model, shape.processes, shape.root, 1)
    if first_count in (0, total):
        return 1 if first_count else None
    if not model.segmented:
        return None
    more, remainder = divmod(total - first_count, _count(model, shape.processes, shape.root, 2) - first_count)
    return 1 + more if more > 0 and remainder == 0 else None


@lru_cache(maxsize=1 << 16)
def _count(model: Model, processes: int, root: int, segments: int) -> int:
    """Return the number of messages, of any size; 0 = no such algorithm for this many processes."""
    schedule = model.build(Shape(processes, root, 0, segments=segments))
    return 0 if schedule is None else schedule.messages()


def _rounded(expected: Traffic, recorded: Traffic) -> bool:
    """Whether rounding explains the differences: at most one element per message and process of a pair."""
    largest = max(blocks.ELEMENTS)
    room = expected.messages * len(expected.messages) * largest
    return bool((np.abs(expected.bytes - recorded.bytes) <= room).all())
