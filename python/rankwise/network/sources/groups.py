"""Which files tell of the same subnet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rankwise.network.sources.parts import Cables, Lids, Masks, Part, Tables, Whole


class Read(NamedTuple):
    """A file that was read.

    Attributes:
        order: in which files were given.
        rank: of its format: of several that tell the same the lowest is taken.
        kind: as `Reader` has it.
        part: what the file tells.
    """

    order: int
    rank: int
    kind: str
    part: Part


class Group(NamedTuple):
    """Files of one subnet, the lowest rank first."""

    files: list[Read]

    @property
    def order(self) -> int:
        """The lowest of its files'."""
        return min(file.order for file in self.files)

    def is_complete(self) -> bool:
        """Return whether there are links and tables."""
        parts = [file.part for file in self.files]
        return isinstance(parts[0], Whole) or all(
            any(isinstance(part, kind) for part in parts) for kind in (Cables, Tables)
        )


@dataclass
class Pool:
    """Files that may belong together.

    Attributes:
        name: of their directory; '' of those that were given one by one.
        files: those that tell of subnets.
        masks: for all of them.
        warnings: a line for each file that can't be read.
    """

    name: str
    files: list[Read] = field(default_factory=list)
    masks: list[Masks] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, file: Read) -> None:
        """Add a file."""
        if isinstance(file.part, Masks):
            self.masks.append(file.part)
        else:
            self.files.append(file)

    def groups(self) -> list[Group]:
        """Return the files by subnet: those that have a GUID in common, straight or through others."""
        guids: list[set[int]] = [
            {*file.part.guids()} if isinstance(file.part, (Cables, Tables, Lids)) else set()
            for file in self.files
        ]
        groups = []
        for members in _linked(guids):
            files = [self.files[member] for member in members]
            groups.append(Group(sorted(files, key=lambda file: (file.rank, file.order))))
        return groups


def _linked(sets: Sequence[set[int]]) -> list[list[int]]:
    """Return the numbers of the sets, in lists of those that overlap."""
    groups: list[tuple[set[int], list[int]]] = []
    for number, guids in enumerate(sets):
        apart = []
        members = [number]
        together = guids - {0}
        for others, theirs in groups:
            if together.isdisjoint(others):
                apart.append((others, theirs))
            else:
                together |= others
                members += theirs
        groups = [*apart, (together, sorted(members))]
    return [members for _, members in groups]
