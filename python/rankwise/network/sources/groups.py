"""Groups files that describe the same subnet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rankwise.network.sources.parts import Cables, Lids, Part, Tables, Whole


class Read(NamedTuple):
    """A file that was read.

    Attributes:
        order: in which files were given.
        directory: where it was found; '' for a file that was given by name.
        rank: of its format: of several files with the same content, the lowest is used.
        kind: as `Reader` has it.
        part: the content.
    """

    order: int
    directory: str
    rank: int
    kind: str
    part: Part


class Group(NamedTuple):
    """Files of one subnet, the lowest rank first."""

    files: list[Read]

    @property
    def size(self) -> int:
        """How many bytes the files have; 0 of a complete subnet, which needs no more work."""
        return sum(each.part.file.size for each in self.files if not isinstance(each.part, Whole))

    @property
    def first(self) -> Read:
        """The file that was given first."""
        return min(self.files, key=lambda file: file.order)


def grouped(files: Sequence[Read]) -> list[Group]:
    """Return the files by subnet: files with a common GUID, directly or through others.

    LIDs go to the subnet with most of them: OpenSM keeps those of ports that have moved to another subnet.
    """
    groups: list[tuple[set[int], list[Read]]] = []
    for file in files:
        if isinstance(file.part, Lids):
            continue
        together, members = _guids(file), [file]
        apart = []
        for guids, others in groups:
            if together.isdisjoint(guids):
                apart.append((guids, others))
            else:
                together |= guids
                members += others
        groups = [*apart, (together, members)]
    for file in files:
        if isinstance(file.part, Lids):
            theirs = _guids(file)
            guids, members = max(groups, key=lambda group: len(theirs & group[0]), default=(set[int](), []))
            if theirs.isdisjoint(guids):
                groups.append((theirs, [file]))
            else:
                members.append(file)
    return [Group(sorted(members, key=lambda file: (file.rank, file.order))) for _, members in groups]


def _guids(file: Read) -> set[int]:
    """Return GUIDs that are of the file's subnet alone."""
    return {*file.part.guids()} - {0} if isinstance(file.part, (Cables, Tables, Lids)) else set()
