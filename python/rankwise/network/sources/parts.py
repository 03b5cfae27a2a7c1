"""The content of a file about a fabric: cables, tables, LIDs, or a whole subnet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import Source, Subnet
from rankwise.network.sources.text import TextFile

SWITCH, HOST, ROUTER = "SW", "CA", "RT"


class End(NamedTuple):
    """An end of a cable; 0 and '' stand for missing values.

    Attributes:
        kind: SWITCH, HOST or ROUTER.
        node: GUID.
        guid: of the port; of a switch mostly the node's.
        number: of the port on its device, from 1.
        description: of the node, as its administrator set it.
        lid: the lowest LID.
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
    """A cable, listed in one direction.

    Attributes:
        line: of the file.
        near: an end.
        far: the other end.
        rate: bytes a second; nan: not known.
        active: whether messages go over it.
        width: its lanes, such as 4; 0: not known.
    """

    line: int
    near: End
    far: End
    rate: float
    active: bool
    width: int = 0


class Table(NamedTuple):
    """The forwarding table of a switch.

    Attributes:
        line: of the file, at which it begins.
        lids: shape (n,), int64: those with a way.
        ports: shape (n,), of any integers: the output port; 0: the switch's own LID.
    """

    line: int
    lids: NDArray[np.int64]
    ports: NDArray[np.integer]


@dataclass(frozen=True)
class Cables:
    """Cables of a subnet.

    Attributes:
        file: that lists them.
        cables: an entry for each end that lists one.
        port_counts: number of ports of devices, by node GUID, where it is given.
        warnings: a line each.
        own_guids: as `guids` returns them, if they are known; else empty.
    """

    file: TextFile
    cables: Sequence[Cable]
    port_counts: dict[int, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    own_guids: frozenset[int] = frozenset()

    def guids(self) -> Iterator[int]:
        """Return GUIDs that are of this subnet alone: an adapter may have ports in two."""
        if self.own_guids:
            yield from self.own_guids
            return
        for cable in self.cables:
            for end in (cable.near, cable.far):
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
    """LIDs of ports of a subnet, by their GUIDs: the line, the lowest LID, how many there are."""

    file: TextFile
    lids: dict[int, tuple[int, int, int]]

    def guids(self) -> Iterator[int]:
        """Return GUIDs that are of this subnet alone."""
        return iter(self.lids)


@dataclass(frozen=True)
class Masks:
    """GUIDs that ibdiagnet substituted because it saw a GUID twice, and the real ones."""

    file: TextFile
    real: dict[int, int]


@dataclass(frozen=True)
class Whole:
    """Complete subnets from a file or a generator's words; a source for each."""

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
