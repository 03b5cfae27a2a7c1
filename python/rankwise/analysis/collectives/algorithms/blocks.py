"""Divides a buffer into blocks. Libraries round differently, to elements of an unrecorded size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankwise.analysis.collectives.algorithms.schedule import Integers

Cut = Callable[[int, int], Integers]


def last_short(elements: int, blocks: int) -> Integers:
    """Blocks of the rounded-up mean length, until the buffer is used up."""
    length = -(-elements // blocks)
    return np.diff(np.minimum(np.arange(blocks + 1) * length, elements))


def first_long(elements: int, blocks: int) -> Integers:
    """The first blocks have an additional element."""
    length, longer = divmod(elements, blocks)
    return length + (np.arange(blocks) < longer)


def last_long(elements: int, blocks: int) -> Integers:
    """The last block has the remainder."""
    lengths = np.full(blocks, elements // blocks, np.int64)
    lengths[-1] += elements % blocks
    return lengths


def halves(elements: int, blocks: int) -> Integers:
    """Cut in two recursively; the first part is rounded down. For powers of two."""
    lengths = np.array([elements], np.int64)
    while len(lengths) < blocks:
        lengths = np.column_stack((lengths // 2, lengths - lengths // 2)).ravel()
    return lengths


CUTS: tuple[Cut, ...] = (last_short, first_long, last_long, halves)
# Bytes of an element: of doubles, integers, single bytes, short integers, complex numbers.
ELEMENTS = (8, 4, 1, 2, 16)
