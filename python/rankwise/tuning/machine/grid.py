"""The measurements of a machine: collectives, sizes of messages, and shapes of communicators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from rankwise.errors import RankwiseError
from rankwise.text.units import exact_byte_text, number_of
from rankwise.tuning.cells.cell import Cell, Grouping, Traits
from rankwise.tuning.guidelines import MOST_BYTES, MOST_ELEMENTS
from rankwise.tuning.target import Target, why_whole

ALL = 0
"""Stands for all nodes, or for all ranks of a node, where numbers of them are listed."""

_WITHOUT_SIZE = frozenset({"MPI_Barrier"})
_OF_ALL_BLOCKS = frozenset(
    {
        *("MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Gather", "MPI_Gatherv"),
        *("MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Scatter", "MPI_Scatterv"),
    }
)


@dataclass(frozen=True, order=True)
class Shape:
    """A communicator, by where its processes are.

    Attributes:
        nodes: that it has processes on.
        per_node: processes on each of them.
    """

    nodes: int
    per_node: int

    @property
    def processes(self) -> int:
        """Of the communicator."""
        return self.nodes * self.per_node

    @property
    def text(self) -> str:
        """For people, such as `2 x 16`."""
        return f"{self.nodes} x {self.per_node}"


@dataclass(frozen=True, order=True)
class Point:
    """One collective on a communicator of one shape with messages of one size.

    Attributes:
        procedure: such as MPI_Allreduce.
        shape: of the communicator.
        size: bytes of the message, as a profile has it; 0 if the collective has no message.
    """

    procedure: str
    shape: Shape
    size: int

    @property
    def text(self) -> str:
        """For people."""
        of_size = "" if self.procedure in _WITHOUT_SIZE else f" of {exact_byte_text(self.size)}"
        return f"{self.procedure.removeprefix('MPI_')}{of_size} on {self.shape.text}"

    def cell(self, traits: Traits | None = None) -> Cell:
        """Return the cell to run, as if the launch had only the communicator's processes."""
        processes = self.shape.processes
        return Cell(
            procedure=self.procedure,
            processes=processes,
            low=self.size,
            high=self.size,
            size=self.size,
            calls=1,
            seconds=0.0,
            tunable_seconds=0.0,
            groupings=(Grouping((tuple(range(processes)),)),),
            traits=traits or Traits(),
        )


@dataclass(frozen=True)
class Scope:
    """The points that one rule is about, as the library can't distinguish them.

    Libraries see the number of processes, not the number of nodes; and some sizes must not decide.

    Attributes:
        points: of one collective and number of processes.
        whole: why the rule has to be for messages of all sizes; '' if it is for a single size.
        traits: of the calls that programs may make.
    """

    points: tuple[Point, ...]
    whole: str = ""
    traits: Traits = field(default_factory=Traits)

    @property
    def procedure(self) -> str:
        """Such as MPI_Allreduce."""
        return self.points[0].procedure

    @property
    def processes(self) -> int:
        """Of the communicators."""
        return self.points[0].shape.processes

    @property
    def size(self) -> int:
        """Bytes of the message; the largest where the rule is for all sizes."""
        return max(point.size for point in self.points)

    @property
    def text(self) -> str:
        """For people."""
        if self.whole and self.procedure not in _WITHOUT_SIZE:
            return (
                f"{self.procedure.removeprefix('MPI_')} of all sizes on {number_of(self.processes, 'rank')}"
            )
        of_size = "" if self.whole else f" of {exact_byte_text(self.size)}"
        return f"{self.procedure.removeprefix('MPI_')}{of_size} on {' and '.join(self.shapes)}"

    @property
    def shapes(self) -> list[str]:
        """Of the communicators, for people."""
        return list(dict.fromkeys(point.shape.text for point in self.points))

    @cached_property
    def target(self) -> Target:
        """The same for the other parts of tuning."""
        return Target(tuple(point.cell(self.traits) for point in self.points), self.whole)


class Layout:
    """The nodes of a launch, and its ranks for a communicator of a given shape.

    Attributes:
        counts: ranks of each node, most first.
    """

    def __init__(self, hosts: Sequence[str]) -> None:
        """Begin.

        Args:
            hosts: names of the nodes, by rank.
        """
        self._ranks: dict[str, list[int]] = {}
        for rank, host in enumerate(hosts):
            self._ranks.setdefault(host, []).append(rank)
        self.counts = sorted(map(len, self._ranks.values()), reverse=True)

    def has(self, shape: Shape) -> bool:
        """Return whether the launch has enough nodes with enough ranks."""
        return shape.nodes <= len(self.counts) and shape.per_node <= self.counts[shape.nodes - 1]

    def ranks(self, shape: Shape) -> dict[int, str]:
        """Return the ranks of a communicator in their order, and the node of each.

        Args:
            shape: that fits, see `has`.
        """
        large = (host for host, ranks in self._ranks.items() if len(ranks) >= shape.per_node)
        chosen = {
            rank: host for host in islice(large, shape.nodes) for rank in self._ranks[host][: shape.per_node]
        }
        return dict(sorted(chosen.items()))

    def shapes(self, nodes: Sequence[int] | None, per_node: Sequence[int] | None) -> list[Shape]:
        """Return the shapes to be measured, the largest first.

        Args:
            nodes: numbers of nodes, or ALL; None: some from one to all.
            per_node: numbers of ranks on a node, or ALL; None: one and all, on a single node some up to all.

        Raises:
            RankwiseError: the launch has fewer nodes or ranks.
        """
        there = len(self.counts)
        if (most := max(nodes or [1])) > there:
            raise RankwiseError(
                f"--node-counts: the launch has {number_of(there, 'node')}, not {most}: give fewer, or start"
                " more"
            )
        if (most := max(per_node or [1])) > self.counts[0]:
            raise RankwiseError(
                f"--ranks-per-node: the launch has {number_of(self.counts[0], 'rank')} on a node, not {most}:"
                " give fewer, or start more"
            )
        wanted_nodes = [count or there for count in nodes] if nodes else _some(1, there)
        candidates = set()
        for number in wanted_nodes:
            room = self.counts[number - 1]
            given = per_node or ([1, ALL] if there > 1 else _some(2, room))
            candidates |= {Shape(number, count or room) for count in given}
        shapes = [shape for shape in candidates if shape.processes > 1 and self.has(shape)]
        if not shapes:
            raise RankwiseError("no communicator of two ranks or more is left to measure: start more ranks")
        return sorted(shapes, key=lambda shape: (-shape.processes, shape))


def _some(least: int, most: int) -> list[int]:
    """Return the powers of two, the numbers halfway between them, and the last number.

    The numbers between are no powers of two: algorithms work differently for them.
    """
    doubling = [1 << power for power in range(most.bit_length())]
    between = [3 * number for number in doubling]
    return sorted({number for number in (*doubling, *between) if least <= number < most} | {most})


def scopes(
    procedures: Iterable[str], shapes: Sequence[Shape], sizes: Sequence[int], traits: Traits
) -> tuple[list[Scope], list[Point]]:
    """Return the scopes of possible rules, in the order of measurement, and the points that are too large.

    Ends and middles come first, so that the measurements cover the whole range whenever they end.

    Args:
        procedures: the collectives.
        shapes: of the communicators.
        sizes: of messages, ascending.
        traits: of the calls that programs may make.
    """
    points_of: dict[tuple[str, int, int], list[Point]] = {}
    whys: dict[tuple[str, int, int], str] = {}
    too_large: list[Point] = []
    for procedure in procedures:
        why = why_whole(procedure, in_place=traits.in_place)
        for shape in shapes:
            for size in [0] if procedure in _WITHOUT_SIZE else sizes:
                point = Point(procedure, shape, size)
                if not _fits(point):
                    too_large.append(point)
                    continue
                key = procedure, shape.processes, -1 if why else size
                whys[key] = why
                points_of.setdefault(key, []).append(point)
    levels = {
        **_levels(sizes, lambda size: ("size", size)),
        **_levels(sorted({shape.processes for shape in shapes}), lambda count: ("processes", count)),
    }
    made = [Scope(tuple(points), whys[key], traits) for key, points in points_of.items()]
    made.sort(
        key=lambda scope: (
            levels["processes", scope.processes] + (0 if scope.whole else levels["size", scope.size])
        )
    )
    return made, too_large


def _levels(values: Sequence[int], name: Callable[[int], tuple[str, int]]) -> Mapping[tuple[str, int], int]:
    """Return how often a list has to be halved until a value is at an end of a part."""
    levels: dict[tuple[str, int], int] = {}
    parts, level = [(0, len(values) - 1)] if values else [], 0
    while parts:
        halves = []
        for first, last in parts:
            for end in (first, last):
                levels.setdefault(name(values[end]), level)
            if last - first > 1:
                middle = (first + last) // 2
                halves += [(first, middle), (middle, last)]
        parts, level = halves, level + 1
    return levels


def _fits(point: Point) -> bool:
    """Return whether a process has room for the call, and the probe can count its elements."""
    processes, size = point.shape.processes, point.size
    blocks = processes if point.procedure in _OF_ALL_BLOCKS else 1
    elements = size // 8 if size % 8 == 0 else size
    return blocks * size <= MOST_BYTES and processes * elements <= MOST_ELEMENTS
