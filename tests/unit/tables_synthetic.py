"""Forwarding tables of tori and dragonflies, by definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from rankwise.placement.networks import Dragonfly, Routes, Torus

Links = list[tuple[int, int]]


def torus_table(torus: Torus, router: Sequence[int]) -> Routes:
    """The first axis first; forward if both ways are equally long."""
    shape = tuple(torus.length)
    rings = [True] * len(shape) if torus.ring is None else list(torus.ring)
    links: Links = []
    forward: dict[tuple[int, int], int] = {}  # link of a router to the next one of an axis
    for at in range(int(np.prod(shape))):
        for axis, length in enumerate(shape):
            place = list(map(int, np.unravel_index(at, shape)))
            if length == 1 or (place[axis] == length - 1 and not rings[axis]):
                continue
            place[axis] = (place[axis] + 1) % length
            forward[at, axis] = len(links)
            links.append((at, int(np.ravel_multi_index(place, shape))))

    def choose(at: int, to: int) -> int:
        here, there = np.unravel_index(at, shape), np.unravel_index(to, shape)
        axis = next(axis for axis in range(len(shape)) if here[axis] != there[axis])
        ahead = int(there[axis] - here[axis]) % shape[axis]
        is_forward = 2 * ahead <= shape[axis] if rings[axis] else here[axis] < there[axis]
        if is_forward:
            return forward[at, axis]
        before = list(map(int, here))
        before[axis] = (before[axis] - 1) % shape[axis]
        return forward[int(np.ravel_multi_index(before, shape)), axis]

    return _routes(int(np.prod(shape)), links, router, choose)


def dragonfly_table(network: Dragonfly, router: Sequence[int]) -> Routes:
    """By the link of the two groups. Links are hops here: one less than routers on the way."""
    size = network.routers
    per_router = -(-(network.groups - 1) // size)

    def gate(group: int, other: int) -> int:
        others = [number for number in range(network.groups) if number != group]
        return group * size + others.index(other) // per_router

    inside = [
        (group * size + first, group * size + other)
        for group in range(network.groups)
        for first, other in combinations(range(size), 2)
    ]
    pairs = list(combinations(range(network.groups), 2))
    links = inside + [(gate(group, other), gate(other, group)) for group, other in pairs]
    between = {pair: len(inside) + number for number, pair in enumerate(pairs)}

    def choose(at: int, to: int) -> int:
        mine, theirs = at // size, to // size
        end = to if mine == theirs else gate(mine, theirs)
        if at == end:
            return between[min(mine, theirs), max(mine, theirs)]
        return links.index((min(at, end), max(at, end)))

    return _routes(network.groups * size, links, router, choose)


def _routes(routers: int, links: Links, router: Sequence[int], choose: Callable[[int, int], int]) -> Routes:
    table = [[-1 if at == to else choose(at, to) for to in router] for at in range(routers)]
    return Routes(router, np.array(links).reshape(-1, 2), [table])
