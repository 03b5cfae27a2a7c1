"""The objects of a machine: a tree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Object:
    """A part of the machine; identical parts share their children.

    Attributes:
        level: place in Machine.levels. A child's is greater than its parent's, and may leave levels out.
        children: none: a slot for a process.
        name: of a node or switch; '' where it has none.
        os: number that the kernel gives it; of a slot, the processor's. -1: unknown.
        link_mb_s: as in Level, if this object's link differs.
    """

    level: int
    children: tuple[Object, ...] = ()
    name: str = ""
    os: int = -1
    link_mb_s: float | None = None
