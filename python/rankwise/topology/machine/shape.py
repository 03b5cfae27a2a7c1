"""The shape of a machine in words: `2 switches x 2 nodes x 1 package x 2 cores`."""

from __future__ import annotations

from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.objects import Object

_PLURALS = {"switch": "switches", "numa": "numa"}


class Shapes:
    """Words the contents of objects of a machine."""

    def __init__(self, machine: Machine) -> None:
        self._names = machine.level_names()
        self._known: dict[int, str] = {}

    def inside(self, top: Object) -> str:
        """Return the contents of an object in words, '' if empty; unequal parts with `+` between them."""
        if not top.children:
            return ""
        known = self._known.get(id(top.children))
        if known is None:
            kinds: dict[tuple[int, str], int] = {}
            for child in top.children:
                kind = child.level, self.inside(child)
                kinds[kind] = kinds.get(kind, 0) + 1
            parts = [self._part(level, inside, count) for (level, inside), count in kinds.items()]
            known = parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"
            self._known[id(top.children)] = known
        return known

    def _part(self, level: int, inside: str, count: int) -> str:
        own = counted(count, self._names[level])
        return f"{own} x {inside}" if inside else own


def counted(count: int, level: str) -> str:
    """Return a count of objects: `1 switch`, `2 switches`, `4 switch-2` of the level `switch 2`."""
    name = level.replace(" ", "-")
    if count == 1 or name[-1:].isdigit():
        return f"{count} {name}"
    return f"{count} {_PLURALS.get(level, f'{level}s')}"


def slot_count(machine: Machine) -> int:
    """Return how many slots there are, without listing them."""
    known: dict[int, int] = {}

    def below(top: Object) -> int:
        if not top.children:
            return 1
        if id(top.children) not in known:
            known[id(top.children)] = sum(below(child) for child in top.children)
        return known[id(top.children)]

    return below(machine.root)


def object_counts(machine: Machine) -> list[int]:
    """Return how many objects each level has."""
    known: dict[int, list[int]] = {}

    def below(top: Object) -> list[int]:
        counts = known.get(id(top.children)) if top.children else [0] * len(machine.levels)
        if counts is None:
            counts = [0] * len(machine.levels)
            for child in top.children:
                counts[child.level] += 1
                counts = [
                    count + other_count for count, other_count in zip(counts, below(child), strict=True)
                ]
            known[id(top.children)] = counts
        return counts

    counts = below(machine.root)
    return [1, *counts[1:]]
