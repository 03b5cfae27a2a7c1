"""What a file tells of a fabric: cables, tables, LIDs, or a whole subnet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import Source, Subnet
from rankwise.network.sources.text import TextFile

SWITCH, HOST, ROUTER = "SW", "CA", "RT"


class End(NamedTuple):
    """An end of a cable; 0 and '' stand for what the file does not tell.

    Attributes:
        kind: SWITCH, HOST or ROUTER.
        node: GUID.
        guid: of the port; of a switch mostly the node's.
        number: of the port on its device, from 1.
        description: of the node, as its administrator set it.
        lid: the lowest one.
        lid_count: 2^LMC.
        system: GUID.
    """

    kind: str
    node: int
    guid: int
    number: int
    description: str = ""
    lid: int = 0
    lid_count: int = 0
    system: int = 0


class Cable(NamedTuple):
    """A cable, in one of its directions.

    Attributes:
        line: of the file.
        one: an end.
        other: the other one.
        rate: bytes a second; nan: not known.
        active: whether messages go over it.
    """

    line: int
    one: End
    other: End
    rate: float
    active: bool


class Table(NamedTuple):
    """The forwarding table of a switch.

    Attributes:
        line: of the file, at which it begins.
        lids: shape (n,), int64: those with a way.
        ports: shape (n,), int64: out of which port; 0: it is the switch's own.
    """

    line: int
    lids: NDArray[np.int64]
    ports: NDArray[np.int64]


@dataclass(frozen=True)
class Cables:
    """Cables of a subnet; how many ports devices have, by node GUID, where that is told."""

    file: TextFile
    cables: list[Cable]
    port_counts: dict[int, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def guids(self) -> Iterator[int]:
        """Return GUIDs that are of this subnet alone: an adapter may have ports in two."""
        for cable in self.cables:
            for end in (cable.one, cable.other):
                yield end.node if end.kind == SWITCH else end.guid


@dataclass(frozen=True)
class Tables:
    """Forwarding tables of switches of a subnet, by their node GUIDs."""

    file: TextFile
    tables: dict[int, Table]
    warnings: tuple[str, ...] = ()

    def guids(self) -> Iterator[int]:
        """Return GUIDs that are of this subnet alone."""
        return iter(self.tables)


@dataclass(frozen=True)
class Lids:
    """LIDs of ports of a subnet, by their GUIDs: the line, the lowest one, how many there are."""

    file: TextFile
    lids: dict[int, tuple[int, int, int]]

    def guids(self) -> Iterator[int]:
        """Return GUIDs that are of this subnet alone."""
        return iter(self.lids)


@dataclass(frozen=True)
class Masks:
    """GUIDs that ibdiagnet made up where it saw one twice, and the real ones."""

    file: TextFile
    real: dict[int, int]


@dataclass(frozen=True)
class Whole:
    """A file, or words, that tell all of one or more subnets; a source for each."""

    subnets: tuple[Subnet, ...]
    sources: tuple[Source, ...]
    warnings: tuple[str, ...] = ()


Part = Cables | Tables | Lids | Masks | Whole


@dataclass(frozen=True)
class Reader:
    """Files of one format.

    Attributes:
        kind: of the fabric's source, as `Source` has it.
        fits: whether this is the format of a file, by its first bytes.
        read: reads the file; RankwiseError names the line that is wrong.
    """

    kind: str
    fits: Callable[[bytes], bool]
    read: Callable[[TextFile], Part]
