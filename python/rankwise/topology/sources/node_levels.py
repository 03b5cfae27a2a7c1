"""The levels inside of nodes, from the parts that hwloc or a kernel tells of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankwise.errors import RankwiseError
from rankwise.topology.machine.objects import Object
from rankwise.topology.sources.hwloc_xml import Part

_KINDS = ("package", "die", "numa", "l5", "l4", "l3", "l2", "l1", "core", "pu")
_OPTIONAL = ("die", "l5", "l4", "l2", "l1")  # levels only where they tell something that no other tells

Parts = tuple[Part, ...]


class NodeLevels:
    """What is inside of several nodes, as objects of one machine.

    Attributes:
        levels: names, the outermost first.
    """

    def __init__(self, nodes: Sequence[Parts]) -> None:
        """Find the levels; RankwiseError if one kind of part is now inside of another, now around it."""
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
    """Put parts that hold just the same processors into one order: versions of hwloc differ in it."""
    chain = [part]
    while len(chain[-1].children) == 1 and chain[-1].children[0].kind != "pu":
        chain.append(chain[-1].children[0])
    inside = tuple(_ordered(child) for child in chain[-1].children)
    for link in sorted(chain, key=lambda link: -_KINDS.index(link.kind)):
        inside = (Part(link.kind, link.os, inside),)
    return inside[0]


def _tells(parts: Parts, kind: str) -> bool:
    """Return whether a part of this kind is neither all of what is around it nor just one part itself."""
    return any(
        (part.kind == kind and len(parts) > 1 and len(part.children) > 1) or _tells(part.children, kind)
        for part in parts
    )


def _without(parts: Parts, kinds: set[str]) -> Parts:
    found: list[Part] = []
    for part in parts:
        inside = _without(part.children, kinds)
        found += inside if part.kind in kinds else (Part(part.kind, part.os, inside),)
    return tuple(found)


def _levels(shapes: Iterable[Parts]) -> tuple[str, ...]:
    """Return all kinds, each behind those that it is inside of."""
    around: dict[str, set[str]] = {}
    for shape in shapes:
        _collect(shape, (), around)
    found: list[str] = []
    while len(found) < len(around):
        free = [kind for kind in _KINDS if kind in around.keys() - set(found) and around[kind] <= set(found)]
        if not free:
            left = ", ".join(kind for kind in _KINDS if kind in around and kind not in found)
            raise RankwiseError(f"{left} are nested in different ways, which is not a tree")
        found.append(free[0])
    return tuple(found)


def _collect(parts: Parts, above: tuple[str, ...], around: dict[str, set[str]]) -> None:
    for part in parts:
        around.setdefault(part.kind, set()).update(above)
        _collect(part.children, (*above, part.kind), around)
