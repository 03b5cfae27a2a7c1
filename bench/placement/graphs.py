"""Communication graphs of typical programs, with shuffled ranks."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
_Edges = tuple[Numbers, Numbers, Numbers]  # two ranks each, and what they send each other


@dataclass(frozen=True)
class Graph:
    """Each pair of ranks that communicates once: arrays of one length."""

    ranks: int
    one: Numbers
    other: Numbers
    bytes: Numbers


def grid(ranks: int, axes: int) -> list[int]:
    """Split a number of ranks as evenly as its prime factors allow, the largest side first."""
    sides = [1] * axes
    factors, quotient, factor = [], ranks, 2
    while quotient > 1:
        while quotient % factor == 0:
            factors.append(factor)
            quotient //= factor
        factor += 1
    for factor in reversed(factors):
        sides[sides.index(min(sides))] *= factor
    return sorted(sides, reverse=True)


def _halo(ranks: int, axes: int, weight: Callable[[tuple[int, ...]], int]) -> _Edges:
    shape = grid(ranks, axes)
    numbers = np.arange(ranks).reshape(shape)
    parts = []
    for index in np.ndindex(*[3] * axes):
        step = tuple(place - 1 for place in index)
        if step <= (0,) * axes or weight(step) == 0:  # each pair in one direction
            continue
        here = tuple(
            slice(max(0, -move), size - max(0, move)) for move, size in zip(step, shape, strict=True)
        )
        there = tuple(
            slice(max(0, move), size - max(0, -move)) for move, size in zip(step, shape, strict=True)
        )
        ends_here = numbers[here].ravel()
        parts.append((ends_here, numbers[there].ravel(), np.full(len(ends_here), weight(step))))
    return _joined(parts)


def _joined(parts: list[_Edges]) -> _Edges:
    first, second, size = (np.concatenate(column) for column in zip(*parts, strict=True))
    return first, second, size


def _faces(size: int) -> Callable[[tuple[int, ...]], int]:
    return lambda step: size if np.count_nonzero(step) == 1 else 0


def _cg(ranks: int) -> _Edges:
    """NAS CG (NPB 3): sums over the rows of a grid of ranks, and the exchange with the transpose."""
    columns = 1 << (ranks.bit_length() // 2)
    rows = ranks // columns
    size = 8 * max(1, 1_500_000 // ranks)
    rank = np.arange(ranks)
    parts = []
    step = 1
    while step < columns:
        parts.append((rank, rank ^ step, np.full(ranks, size + 16)))
        step *= 2
    if rows == columns:
        partner = rank % rows * rows + rank // rows
    else:
        partner = 2 * (rank // 2 % rows * rows + rank // 2 // rows) + rank % 2
    parts.append((rank, partner, np.full(ranks, size)))
    first, second, sizes = _joined(parts)
    kept = first < second
    return first[kept], second[kept], sizes[kept]


def _pencils(ranks: int) -> _Edges:
    """A 3-D FFT: everybody with everybody in each row and each column of a grid of ranks."""
    rows, columns = grid(ranks, 2)
    numbers = np.arange(ranks).reshape(rows, columns)
    parts = []
    for lines, length in ((numbers, columns), (numbers.T, rows)):
        first, second = np.triu_indices(length, 1)
        ends = lines[:, first].ravel()
        parts.append((ends, lines[:, second].ravel(), np.full(len(ends), 16)))
    return _joined(parts)


def _collectives(ranks: int) -> _Edges:
    """A binomial tree and recursive doubling."""
    rank = np.arange(1, ranks)
    parts = [(rank - (rank & -rank), rank, np.full(ranks - 1, 64))]
    step = 1
    while step < ranks:
        lower = np.arange(ranks)
        lower = lower[(lower < lower ^ step) & (lower ^ step < ranks)]
        parts.append((lower, lower ^ step, np.full(len(lower), 8)))
        step *= 2
    return _joined(parts)


def _some(random: np.random.Generator, count: int) -> Numbers:
    """Sizes over three orders of magnitude."""
    return 1 + np.exp(random.random(count) * 7).astype(np.int64)


def _geometric(ranks: int, random: np.random.Generator, weighted: bool) -> _Edges:
    """Points in a square, connected up to the distance at which that makes one piece of them all."""
    radius = 0.66 * np.sqrt(np.log(ranks) / ranks)
    points = random.random((ranks, 2))
    points = points[np.argsort(points[:, 0])]
    end = np.searchsorted(points[:, 0], points[:, 0] + radius, side="right")
    count = end - np.arange(ranks) - 1  # candidates: not too far to the right
    first = np.repeat(np.arange(ranks), count)
    second = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count) + first + 1
    near = np.hypot(*(points[first] - points[second]).T) < radius
    first, second = first[near], second[near]
    return first, second, _some(random, len(first)) if weighted else np.ones(len(first), dtype=np.int64)


def _power_law(ranks: int, random: np.random.Generator, weighted: bool) -> _Edges:
    """Few ranks with very many partners (Chung and Lu, exponent 2.5), most of the others near by."""
    share = np.cumsum((np.arange(ranks) + 8.0) ** (-1 / 1.5))
    count = 6 * ranks

    def drawn() -> Numbers:
        vertices: Numbers = np.searchsorted(share, random.random(count) * share[-1])
        return vertices.clip(max=ranks - 1)

    first = drawn()
    second = np.where(
        random.random(count) < 0.7, (first + 1 + random.integers(0, 64, count)) % ranks, drawn()
    )
    kept = first != second
    first, second = first[kept], second[kept]
    return first, second, _some(random, len(first)) if weighted else np.ones(len(first), dtype=np.int64)


_ANISOTROPIC = (1024, 256, 64)
_BOX = {1: 256, 2: 16, 3: 1}  # faces, edges, corners

BAND = 20
"""Ranks that each one of a band sends to, on either side."""


def _band(ranks: int) -> _Edges:
    steps = [np.arange(ranks - step) for step in range(1, BAND + 1)]
    return _joined(
        [
            (numbers_of_step, numbers_of_step + step, np.full(len(numbers_of_step), 8))
            for step, numbers_of_step in enumerate(steps, 1)
        ]
    )


KINDS: dict[str, Callable[[int, np.random.Generator], _Edges]] = {
    "halo 2-D 5": lambda ranks, _: _halo(ranks, 2, _faces(8)),
    "halo 3-D 7": lambda ranks, _: _halo(ranks, 3, _faces(256)),
    "halo 3-D 27": lambda ranks, _: _halo(ranks, 3, lambda step: _BOX[int(np.count_nonzero(step))]),
    "anisotropic": lambda ranks, _: _halo(
        ranks, 3, lambda step: sum(np.abs(step) * _ANISOTROPIC) if np.count_nonzero(step) == 1 else 0
    ),
    "NAS CG": lambda ranks, _: _cg(ranks),
    "FFT pencils": lambda ranks, _: _pencils(ranks),
    "geometric": lambda ranks, random: _geometric(ranks, random, weighted=False),
    "geometric, weighted": lambda ranks, random: _geometric(ranks, random, weighted=True),
    "power law": lambda ranks, random: _power_law(ranks, random, weighted=False),
    "power law, weighted": lambda ranks, random: _power_law(ranks, random, weighted=True),
    "collectives": lambda ranks, _: _collectives(ranks),
    "band": lambda ranks, _: _band(ranks),
}


def graph(kind: str, ranks: int, seed: int) -> Graph:
    """Make a graph; each seed shuffles the ranks in another way. Pairs that came twice are added up."""
    random = np.random.default_rng([seed, zlib.crc32(kind.encode()), ranks])
    first, second, size = KINDS[kind](ranks, random)
    name = random.permutation(ranks)
    first, second = name[first], name[second]
    pair, place = np.unique(
        np.minimum(first, second) * ranks + np.maximum(first, second), return_inverse=True
    )
    total = np.bincount(place, weights=size, minlength=len(pair)).astype(np.int64)
    return Graph(ranks, pair // ranks, pair % ranks, total)
