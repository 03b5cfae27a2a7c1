"""Tori and dragonflies: the engine's result next to the natural order, a random one and the optimum."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from placement.graphs import KINDS, Graph
from placement.mappers import scotch_seconds
from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.engine import place, weigh
from rankwise.placement.networks import Dragonfly, Network, Torus
from rankwise.placement.priced_slots import PricedSlots

_NUMBERS = ("found", "natural", "random", "CPU s", "Scotch", "x")
HEAD = f"{'graph':<22} {'between nodes':<20} {'ranks':>6} " + " ".join(f"{name:>8}" for name in _NUMBERS)
_CPU_AIM = 5  # times Scotch's


@dataclass(frozen=True)
class Case:
    """Edges of 1,000 bytes between ranks in their natural order, on nodes of so many slots.

    Attributes:
        edges: shape (2, E).
        best: hops of all edges in the best placement; None if that is not known.
    """

    graph: str
    machine: str
    network: Network
    slots: int
    edges: NDArray[np.int64]
    best: float | None


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
    first, second = np.triu_indices(size, 1)
    begin = np.arange(network.groups)[:, None] * size
    edges = np.stack([(begin + first).ravel(), (begin + second).ravel()])
    near = network.routers * network.nodes * (network.nodes - 1) / 2
    best = network.groups * (near + 2 * (size * (size - 1) / 2 - near))
    shape = f"dragonfly {network.groups} x {network.routers} x {network.nodes}"
    return Case(f"cliques of {size}", shape, network, 1, edges, best)


_FEW = ("halo 3-D 7", "halo 3-D 27", "FFT pencils", "geometric", "power law", "collectives", "band")


def _few(kind: str, torus: tuple[int, ...]) -> Case:
    """A graph of the table above, one rank a node: the best is not known."""
    first, second, _ = KINDS[kind](int(np.prod(torus)), np.random.default_rng(0))
    return Case(
        kind, f"torus {' x '.join(map(str, torus))}", Torus(torus), 1, np.stack([first, second]), None
    )


def _cases() -> Iterator[Case]:
    for torus in ((8, 8), (4, 4, 4)):
        for kind in _FEW:
            yield _few(kind, torus)
    yield _box((16, 16), (16, 16))
    yield _box((8, 8, 8), (8, 8, 8))
    yield _box((8, 8, 8), (8, 8, 8), ring=True)
    yield _box((5, 7, 9), (5, 7, 9))
    yield _box((7, 9, 11), (7, 9, 11))
    yield _box((12, 12, 12), (12, 12, 12))
    yield _transposes((32, 32), (8, 8, 16))
    yield _box((32, 32), (16, 16))
    yield _box((16, 16, 16), (8, 8, 8))
    yield _box((32, 32, 32), (16, 16, 16))
    yield _cliques(Dragonfly(9, 4, 2))
    yield _cliques(Dragonfly(33, 8, 4))


def _transposes(shape: tuple[int, int], torus: tuple[int, ...]) -> Case:
    """Everybody with everybody, in each row and each column: the best is not known."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    parts = []
    for lines in (numbers, numbers.T):
        first, second = np.triu_indices(len(lines.T), 1)
        parts.append(np.stack([lines[:, first].ravel(), lines[:, second].ravel()]))
    name = f"FFT {' x '.join(map(str, shape))}"
    return Case(name, f"torus {' x '.join(map(str, torus))}", Torus(torus), 1, np.hstack(parts), None)


def _scotch(
    case: Case, first: NDArray[np.int64], second: NDArray[np.int64], program: Path, place: Path
) -> float:
    ranks = int(case.edges.max()) + 1
    low, high = np.minimum(first, second), np.maximum(first, second)
    pair = np.unique(low * ranks + high)
    graph = Graph(ranks, pair // ranks, pair % ranks, np.full(len(pair), 1000))
    return scotch_seconds(
        graph, program, case.network.length if isinstance(case.network, Torus) else (), place
    )


def print_networks(effort: int, threads: int, seed: int, scotch: Path | None, directory: Path) -> None:
    """Place each graph from a random order, print the table: costs over the best, or else the natural order.

    Args:
        effort: of the engine.
        threads: of the engine.
        seed: of the random order.
        scotch: the program, for its CPU time on tori; None: without.
        directory: for its files.
    """
    print("\nNetworks: byte hops, as multiples of the least that there can be, or else of the natural order")
    print(f"{HEAD}  (aim <= {_CPU_AIM}; natural order: never above)")
    place(Traffic(2, [0], [1], [1]), PricedSlots([[0], [1]], [1.0, 0.0]))  # so that the library is loaded
    for case in _cases():
        ranks = int(case.edges.max()) + 1
        name = np.random.default_rng([seed, ranks]).permutation(ranks)
        bytes_of = np.full(case.edges.shape[1], 1000.0)
        node = np.repeat(np.arange(ranks // case.slots), case.slots)
        places = PricedSlots(
            np.stack([node, np.arange(ranks)], axis=1), [0.0, 0.0, 0.0], network=case.network
        )
        first, second = name[case.edges]
        shuffled = Traffic(ranks, first, second, bytes_of)
        start = time.process_time()
        placed = place(shuffled, places, effort=effort, threads=threads, seed=seed)
        spent = time.process_time() - start
        natural, _ = weigh(Traffic(ranks, case.edges[0], case.edges[1], bytes_of), places, np.arange(ranks))
        best = natural if case.best is None else 1000 * case.best
        columns = " ".join(f"{cost / best:8.3f}" for cost in (placed.cost, natural, placed.natural))
        line = f"{case.graph:<22} {case.machine:<20} {ranks:>6} {columns} {spent:8.3f}"
        is_over = placed.cost > natural
        if scotch is not None and isinstance(case.network, Torus):
            theirs = _scotch(case, first, second, scotch, directory)
            line += f" {theirs:8.3f} {spent / theirs:8.1f}"
            is_over = is_over or spent / theirs > _CPU_AIM
        print(f"{line}{'  over' * is_over}", flush=True)
