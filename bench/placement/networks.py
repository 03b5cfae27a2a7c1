"""Tori and dragonflies: what is found beside the natural order, a random one and the best there can be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.placement.engine import Places, Traffic, place, weigh
from rankwise.placement.networks import Dragonfly, Network, Torus

_NUMBERS = ("found", "natural", "random", "CPU s")
HEAD = f"{'graph':<21} {'between nodes':<20} {'ranks':>6} " + " ".join(f"{name:>8}" for name in _NUMBERS)


@dataclass(frozen=True)
class Case:
    """Edges of 1,000 bytes between ranks in their natural order, on nodes of so many slots.

    Attributes:
        edges: shape (2, E).
        best: hops of all edges in the best placement.
    """

    graph: str
    machine: str
    network: Network
    slots: int
    edges: NDArray[np.int64]
    best: float


def _grid(shape: tuple[int, ...], ring: bool) -> NDArray[np.int64]:
    ranks = np.arange(int(np.prod(shape))).reshape(shape)
    pairs = []
    for axis, length in enumerate(shape):
        steps = np.arange(length if ring else length - 1)
        there = np.take(ranks, (steps + 1) % length, axis)
        pairs.append(np.stack([np.take(ranks, steps, axis).ravel(), there.ravel()]))
    return np.hstack(pairs)


def _box(shape: tuple[int, ...], torus: tuple[int, ...], *, ring: bool = False) -> Case:
    """A halo whose boxes fill the nodes: each face between two of them is one hop."""
    ranks = int(np.prod(shape))
    cuts = [(there if ring else there - 1) * ranks / side for side, there in zip(shape, torus, strict=True)]
    return Case(
        f"halo {' x '.join(map(str, shape))}{', closed' * ring}",
        f"torus {' x '.join(map(str, torus))}",
        Torus(torus),
        ranks // int(np.prod(torus)),
        _grid(shape, ring),
        sum(cuts),
    )


def _cliques(network: Dragonfly) -> Case:
    """A clique for each group: partners at the same router are one hop apart, all others of the group two."""
    size = network.routers * network.nodes
    one, other = np.triu_indices(size, 1)
    first = np.arange(network.groups)[:, None] * size
    edges = np.stack([(first + one).ravel(), (first + other).ravel()])
    near = network.routers * network.nodes * (network.nodes - 1) / 2
    best = network.groups * (near + 2 * (size * (size - 1) / 2 - near))
    shape = f"dragonfly {network.groups} x {network.routers} x {network.nodes}"
    return Case(f"cliques of {size}", shape, network, 1, edges, best)


def _cases() -> Iterator[Case]:
    yield _box((16, 16), (16, 16))
    yield _box((8, 8, 8), (8, 8, 8))
    yield _box((8, 8, 8), (8, 8, 8), ring=True)
    yield _box((5, 7, 9), (5, 7, 9))
    yield _box((32, 32), (16, 16))
    yield _box((16, 16, 16), (8, 8, 8))
    yield _box((32, 32, 32), (16, 16, 16))
    yield _cliques(Dragonfly(9, 4, 2))
    yield _cliques(Dragonfly(33, 8, 4))


def print_networks(effort: int, threads: int, seed: int) -> None:
    """Place each graph from a random order, print the table: costs over the best that there can be."""
    print("\nNetworks: byte hops, as multiples of the least that there can be")
    print(HEAD)
    for case in _cases():
        ranks = int(case.edges.max()) + 1
        name = np.random.default_rng([seed, ranks]).permutation(ranks)
        bytes_of = np.full(case.edges.shape[1], 1000.0)
        node = np.repeat(np.arange(ranks // case.slots), case.slots)
        places = Places(np.stack([node, np.arange(ranks)], axis=1), [0.0, 0.0, 0.0], network=case.network)
        start = time.process_time()
        one, other = name[case.edges]
        shuffled = Traffic(ranks, one, other, bytes_of)
        found = place(shuffled, places, effort=effort, threads=threads, seed=seed)
        spent = time.process_time() - start
        natural, _ = weigh(Traffic(ranks, case.edges[0], case.edges[1], bytes_of), places, np.arange(ranks))
        ratios = [cost / (1000 * case.best) for cost in (found.cost, natural, found.natural)]
        columns = " ".join(f"{ratio:8.3f}" for ratio in ratios)
        print(f"{case.graph:<21} {case.machine:<20} {ranks:>6} {columns} {spent:8.2f}", flush=True)
