"""How many of what is in what: `2 switches x 2 nodes x 1 package x 2 cores`."""

from __future__ import annotations

from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.objects import Object

_PLURALS = {"switch": "switches", "numa": "numa"}


class Shapes:
    """Says what is inside of objects of a machine."""

    def __init__(self, machine: Machine) -> None:
        self._names = machine.level_names()
        self._known: dict[int, str] = {}

    def inside(self, of: Object) -> str:
        """Return what is inside of an object, '' if nothing; unequal parts with `+` between them."""
        if not of.children:
            return ""
        known = self._known.get(id(of.children))
        if known is None:
            kinds: dict[tuple[int, str], int] = {}
            for child in of.children:
                kind = child.level, self.inside(child)
                kinds[kind] = kinds.get(kind, 0) + 1
            parts = [self._part(level, inside, count) for (level, inside), count in kinds.items()]
            known = parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"
            self._known[id(of.children)] = known
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

    def below(of: Object) -> int:
        if not of.children:
            return 1
        if id(of.children) not in known:
            known[id(of.children)] = sum(below(child) for child in of.children)
        return known[id(of.children)]

    return below(machine.root)


def object_counts(machine: Machine) -> list[int]:
    """Return how many objects each level has."""
    known: dict[int, list[int]] = {}

    def below(of: Object) -> list[int]:
        found = known.get(id(of.children)) if of.children else [0] * len(machine.levels)
        if found is None:
            found = [0] * len(machine.levels)
            for child in of.children:
                found[child.level] += 1
                found = [one + other for one, other in zip(found, below(child), strict=True)]
            known[id(of.children)] = found
        return found

    counts = below(machine.root)
    return [1, *counts[1:]]
