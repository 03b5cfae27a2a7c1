"""The levels inside nodes, from the parts that hwloc or a kernel reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankwise.errors import RankwiseError
from rankwise.topology.machine.objects import Object
from rankwise.topology.sources.hwloc_xml import Part

_KINDS = ("package", "die", "numa", "l5", "l4", "l3", "l2", "l1", "core", "pu")
_OPTIONAL = ("die", "l5", "l4", "l2", "l1")  # levels only where they add something

Parts = tuple[Part, ...]


class NodeLevels:
    """The contents of several nodes, as objects of one machine.

    Attributes:
        levels: names, the outermost first.
    """

    def __init__(self, nodes: Sequence[Parts]) -> None:
        """Find the levels; RankwiseError if the order of two kinds of parts varies."""
        known: dict[Parts, Parts] = {}
        shapes = list(dict.fromkeys(nodes))
        ordered = [tuple(_ordered(part) for part in shape) for shape in shapes]
        telling = {kind for kind in _OPTIONAL if any(_tells(shape, kind) for shape in ordered)}
        dropped = set(_OPTIONAL) - telling
        kept = [_without(shape, dropped) for shape in ordered]
        known = dict(zip(shapes, kept, strict=True))
        self.levels = _levels(kept)
        self._nodes = [known[node] for node in nodes]
        self._made: dict[tuple[Parts, int], tuple[Object, ...]] = {}

    def children(self, node: int, first_level: int) -> tuple[Object, ...]:
        """Return the children of a node: the outermost level inside of it has the place `first_level`."""
        return self._objects(self._nodes[node], first_level)

    def _objects(self, parts: Parts, first: int) -> tuple[Object, ...]:
        key = parts, first
        if key not in self._made:
            self._made[key] = tuple(
                Object(first + self.levels.index(part.kind), self._objects(part.children, first), os=part.os)
                for part in parts
            )
        return self._made[key]


def _ordered(part: Part) -> Part:
    """Put parts with exactly the same processors into a fixed order: versions of hwloc differ in it."""
    chain = [part]
    while len(chain[-1].children) == 1 and chain[-1].children[0].kind != "pu":
        chain.append(chain[-1].children[0])
    inside = tuple(_ordered(child) for child in chain[-1].children)
    for link in sorted(chain, key=lambda link: -_KINDS.index(link.kind)):
        inside = (Part(link.kind, link.os, inside),)
    return inside[0]


def _tells(parts: Parts, kind: str) -> bool:
    """Return whether a part of this kind differs from its parent and from its only child."""
    return any(
        (part.kind == kind and len(parts) > 1 and len(part.children) > 1) or _tells(part.children, kind)
        for part in parts
    )


def _without(parts: Parts, kinds: set[str]) -> Parts:
    remaining: list[Part] = []
    for part in parts:
        inside = _without(part.children, kinds)
        remaining += inside if part.kind in kinds else (Part(part.kind, part.os, inside),)
    return tuple(remaining)


def _levels(shapes: Iterable[Parts]) -> tuple[str, ...]:
    """Return all kinds, each after those around it."""
    around: dict[str, set[str]] = {}
    for shape in shapes:
        _collect(shape, (), around)
    kinds: list[str] = []
    while len(kinds) < len(around):
        free = [kind for kind in _KINDS if kind in around.keys() - set(kinds) and around[kind] <= set(kinds)]
        if not free:
            omitted = ", ".join(kind for kind in _KINDS if kind in around and kind not in kinds)
            raise RankwiseError(f"{omitted} are nested in different ways, which is not a tree")
        kinds.append(free[0])
    return tuple(kinds)


def _collect(parts: Parts, above: tuple[str, ...], around: dict[str, set[str]]) -> None:
    for part in parts:
        around.setdefault(part.kind, set()).update(above)
        _collect(part.children, (*above, part.kind), around)
