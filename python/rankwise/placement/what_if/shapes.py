"""Machines in two or three numbers: `4x16` is 4 nodes of 16 slots, `2x4x16` 2 switches of 4 such nodes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from rankwise.topology.machine.fields import MOST_OBJECTS
from rankwise.topology.machine.model import NODE, SHAPE, Cost, Level, Machine, Source
from rankwise.topology.machine.read import FORMAT, VERSION, machine_of

_SWITCH, _SLOT = "switch", "slot"


@dataclass(frozen=True)
class Shape:
    """A regular machine.

    Attributes:
        counts: switches of each level, if any, nodes, and slots; each within one of the level before.
    """

    counts: tuple[int, ...]

    def __str__(self) -> str:
        return "x".join(map(str, self.counts))


def shapes_of(text: str) -> list[Shape]:
    """Return the shapes in a list with commas; ValueError, in words, if one is none."""
    return [_shape(word) for word in text.split(",")]


def _shape(word: str) -> Shape:
    if not re.fullmatch(r"[1-9][0-9]{0,8}(x[1-9][0-9]{0,8}){1,7}", word):
        raise ValueError(
            f"{word[:40]!r} is not a shape: 4x16 is 4 nodes of 16 slots, 2x4x16 is 2 switches of such"
        )
    shape = Shape(tuple(map(int, word.split("x"))))
    if math.prod(shape.counts) > MOST_OBJECTS:
        raise ValueError(f"{word[:40]!r} has more slots than {MOST_OBJECTS}, which are the most")
    return shape


def machine_of_shape(shape: Shape, measured: Machine | None = None) -> Machine:
    """Return the machine that a shape stands for.

    Args:
        shape: of it.
        measured: a machine whose costs it takes over, counted from the node outwards: two nodes of a switch
            are as two that meet at the first level around nodes that has a cost, and so on. Two slots of a
            node are as two that meet at the outermost level, from `node` on, that has one.
    """
    outer = len(shape.counts) - 2
    names = [_SWITCH if number == 1 else f"{_SWITCH} {number}" for number in range(outer, 0, -1)]
    levels = [
        {"name": name, "count": count}
        for name, count in zip([*names, NODE, _SLOT], shape.counts, strict=True)
    ]
    machine = machine_of(json.dumps({"format": FORMAT, "version": VERSION, "levels": levels}))
    shaped = replace(machine, sources=(Source(SHAPE, str(shape)),))
    return shaped if measured is None else replace(shaped, levels=_with_costs(shaped, measured))


def _with_costs(machine: Machine, measured: Machine) -> tuple[Level, ...]:
    def costs(levels: Iterable[Level]) -> list[Cost]:
        return [level.cost for level in levels if _is_known(level.cost)]

    node, own = measured.depth(NODE), machine.depth(NODE)
    around, inside = costs(reversed(measured.levels[:node])), costs(measured.levels[node:])
    outer = [*around[:own], *[Cost()] * (own - len(around))]
    taken = [*reversed(outer), next(iter(inside), Cost()), Cost()]
    return tuple(replace(level, cost=cost) for level, cost in zip(machine.levels, taken, strict=True))


def _is_known(cost: Cost) -> bool:
    return cost.latency_us is not None and (cost.bandwidth_mb_s or cost.us_per_byte) is not None
