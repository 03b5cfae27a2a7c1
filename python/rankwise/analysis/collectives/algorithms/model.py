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
        processes: of the communicator.
        root: rank; 0 where there is none.
        size: bytes, as in the size bins; see docs/reference/profile-format.md.
        element: bytes that are never cut.
        cut: how a buffer is cut into blocks.
        segments: how many messages carry what could be one, in the algorithms that do so.
    """

    processes: int
    root: int
    size: int
    element: int = 1
    cut: blocks.Cut = blocks.last_short
    segments: int = 1

    def blocks(self, count: int, size: int | None = None) -> Integers:
        """Bytes of each of `count` blocks of the buffer."""
        return self.cut((self.size if size is None else size) // self.element, count) * self.element

    def equal_blocks(self) -> Integers:
        """The block of each process, where `size` is that of one of them."""
        return np.full(self.processes, self.size, np.int64)


Builder = Callable[[Shape], Schedule | None]


@dataclass(frozen=True)
class Model:
    """An algorithm for a collective.

    Attributes:
        name: for users.
        build: its messages; None if there is no such algorithm for the shape.
        cuts: whether the messages depend on how the buffer is cut into blocks.
        segmented: whether it sends segments.
        drops_empty: whether messages without bytes aren't sent, so that their number depends on the cut.
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
        exact: messages and bytes are equal; else messages alone.
    """

    name: str
    exact: bool


def match(model: Model, shape: Shape, size_known: bool, seen: Traffic) -> Match | None:
    """Compare a model with the recorded messages.

    Where the size is not known, or where the buffer is cut in a way that is not known, equal numbers of
    messages are a match that is not exact.
    """
    inexact: Match | None = None
    for variant in _variants(model, shape, int(seen.messages.sum())):
        schedule = model.build(variant)
        if schedule is None or not np.array_equal(seen.sent, schedule.sent()):
            continue
        expected = schedule.traffic()
        if not np.array_equal(seen.messages, expected.messages):
            continue
        name = model.name if variant.segments == 1 else f"{model.name}, {variant.segments} segments"
        if size_known and np.array_equal(seen.bytes, expected.bytes):
            return Match(name, exact=True)
        if not size_known or (model.cuts and _rounded(expected, seen)):
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
    """With how many segments it sends `total` messages; None if with no number of them."""
    if model.drops_empty:
        return 1
    first_count = _count(model, shape.processes, shape.root, 1)
    if first_count in (0, total):
        return 1 if first_count else None
    if not model.segmented:
        return None
    more, rest = divmod(total - first_count, _count(model, shape.processes, shape.root, 2) - first_count)
    return 1 + more if more > 0 and rest == 0 else None


@lru_cache(maxsize=1 << 16)
def _count(model: Model, processes: int, root: int, segments: int) -> int:
    """Return the number of messages, of any size; 0 = no such algorithm for this many processes."""
    schedule = model.build(Shape(processes, root, 0, segments=segments))
    return 0 if schedule is None else schedule.messages()


def _rounded(expected: Traffic, seen: Traffic) -> bool:
    """Whether no pair's bytes differ by more than an element for each message and process: by rounding."""
    largest = max(blocks.ELEMENTS)
    room = expected.messages * len(expected.messages) * largest
    return bool((np.abs(expected.bytes - seen.bytes) <= room).all())
