"""Tori and meshes with dimension-order routing.

Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Transactions
on Computers C-36 (1987).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import EVEN_SPLIT, MODELLED, Routing, Subnet
from rankwise.network.sources.generators.even import even_tables
from rankwise.network.sources.generators.plan import Numbers, Plan, check_tables, subnet_of
from rankwise.network.sources.generators.words import MOST, Words

_KEYS = ("", "hosts", "names", "gbit", "routing")
_FLAGS = ("mesh",)
_ROUTINGS = ("dimension-order", "even")


def torus(text: str) -> Subnet:
    """Make a torus or a mesh.

    Args:
        text: `torus:8x8x8[,hosts=1][,mesh]`: routers along each axis, hosts at each router, whether the last
            router of an axis is not linked with the first. Routers are in row-major order.

    Raises:
        RankwiseError: that can't be made.
    """
    words = Words(text, _KEYS, _FLAGS)
    sides, each, is_ring = _sizes(words)
    routers = math.prod(sides)
    if routers > MOST:
        raise words.error(f"would have {routers} routers; at most {MOST} are possible")
    hosts = words.hosts(routers * each)
    check_tables(routers, len(hosts))
    names = tuple("router" + ".".join(map(str, place)) for place in np.ndindex(sides))
    number = np.arange(len(hosts))
    cables = _cables(sides, each, is_ring)
    plan = Plan(names, hosts, number // each, number % each + 1, cables, words.rate())
    if words.choice("routing", _ROUTINGS) == "even":
        return subnet_of(plan, even_tables(plan), Routing(EVEN_SPLIT))
    tables = _dimension_order(sides, each, plan.at, is_ring)
    return subnet_of(plan, tables, Routing(MODELLED, "dimension-order"))


def torus_sizes(text: str) -> tuple[tuple[int, ...], int, bool]:
    """Return the routers along each axis, the hosts at each, and whether axes are closed, of such words."""
    return _sizes(Words(text, _KEYS, _FLAGS))


def _sizes(words: Words) -> tuple[tuple[int, ...], int, bool]:
    if "" not in words:
        raise words.error("must start with the number of routers along each axis, such as torus:8x8x8")
    return words.sizes(""), words.whole("hosts", 1), "mesh" not in words


def _forward_port(each: int, axis: int) -> int:
    """Return the port towards higher coordinates; the next port leads to lower ones."""
    return each + 1 + 2 * axis


def _cables(sides: tuple[int, ...], each: int, is_ring: bool) -> Numbers:
    """Return shape (C, 4): from each router to the next on each axis; two routers have one cable."""
    number = np.arange(math.prod(sides)).reshape(sides)
    cables = [np.empty((0, 4), np.int64)]
    for axis, side in enumerate(sides):
        last = side if is_ring and side > 2 else side - 1
        here = np.take(number, range(last), axis).reshape(-1)
        there = np.take(number, [(place + 1) % side for place in range(last)], axis).reshape(-1)
        port = np.full_like(here, _forward_port(each, axis))
        cables.append(np.stack([here, port, there, port + 1], axis=1))
    return np.concatenate(cables)


def _dimension_order(sides: tuple[int, ...], each: int, at: Numbers, is_ring: bool) -> NDArray[np.uint16]:
    """Return shape (S, P, 1): along the first axis first, forward if both ways are equally long."""
    places = np.unravel_index(at, sides)
    ports = np.empty((*sides, len(at)), np.uint16)
    ports[:] = np.arange(len(at)) % each + 1
    for axis in reversed(range(len(sides))):
        side = sides[axis]
        ahead = places[axis] - np.arange(side)[:, None]  # [coordinate][host]
        is_forward = 2 * (ahead % side) <= side if is_ring and side > 2 else ahead > 0
        port = np.where(is_forward, _forward_port(each, axis), _forward_port(each, axis) + 1)
        others = [1] * len(sides)
        others[axis] = side
        np.copyto(ports, port.reshape(*others, -1), casting="unsafe", where=(ahead != 0).reshape(*others, -1))
    return ports.reshape(-1, len(at), 1)
