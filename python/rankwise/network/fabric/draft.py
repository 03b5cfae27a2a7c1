"""A subnet while it is being read: devices and cables in any order; `finished` puts them in theirs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.levels import levels_of
from rankwise.network.fabric.model import NO_PORT, HostPorts, Links, Routing, Subnet, Switches


@dataclass
class DraftSwitch:
    """A switch; fields as in `Switches`."""

    name: str
    system: int = 0
    lid: int = 0


@dataclass
class DraftPort:
    """A port of an adapter; fields as in `HostPorts`. `node`, if it differs from its key in the draft."""

    host: str
    device: str = ""
    guid: int = 0
    lid: int = 0
    lid_count: int = 1
    node: int | None = None


@dataclass
class Draft:
    """The known parts of a subnet.

    Attributes:
        name: of the rail.
        routing: the origin of the tables.
        switches: by node GUID.
        ports: of hosts, by node GUID of the adapter and number of the port. Those without a cable to a
            switch are left out in the end.
        cables: between (node GUID, port) and (node GUID, port), each once; rate in bytes a second, nan = not
            known.
        widths: lanes of cables whose width is known, by their ends.
        tables: of each switch, by node GUID: LIDs, shape (n,), and ports, shape (n,) or (n, W) of an even
            split, filled with NO_PORT.
    """

    name: str = ""
    routing: Routing = field(default_factory=lambda: Routing(""))
    switches: dict[int, DraftSwitch] = field(default_factory=dict)
    ports: dict[tuple[int, int], DraftPort] = field(default_factory=dict)
    cables: dict[tuple[tuple[int, int], tuple[int, int]], float] = field(default_factory=dict)
    widths: dict[tuple[tuple[int, int], tuple[int, int]], int] = field(default_factory=dict)
    tables: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=dict)

    def link(
        self, first: tuple[int, int], second: tuple[int, int], rate: float = np.nan, width: int = 0
    ) -> None:
        """Add a cable, unless it is there, in either direction."""
        ends = min(first, second), max(first, second)
        self.cables[ends] = rate
        if width:
            self.widths[ends] = width


def finished(draft: Draft) -> Subnet:
    """Return the subnet; it does not depend on the order in which files were read.

    Switches are in the order of their GUIDs, host ports in that of host, device and number, cables in that
    of their ends. Readers have checked that ports and LIDs are in range, and that no port has two cables.
    """
    guids = sorted(draft.switches)
    number_of = {guid: number for number, guid in enumerate(guids)}
    linked = {end for cable in draft.cables for end in cable}
    at_switch = {
        end
        for first, second in draft.cables
        for end, far in ((first, second), (second, first))
        if end[0] not in number_of and far[0] in number_of
    }
    keys = sorted(
        (key for key in draft.ports if key in linked and key in at_switch),
        key=lambda key: (draft.ports[key].host, draft.ports[key].device, key[1], key[0]),
    )
    ends = {key: len(guids) + number for number, key in enumerate(keys)}

    def end_of(end: tuple[int, int]) -> int | None:
        return number_of.get(end[0], ends.get(end))

    cables = sorted(
        (
            *min((a, first[1]), (b, second[1])),
            *max((a, first[1]), (b, second[1])),
            rate,
            draft.widths.get((first, second), 0),
        )
        for (first, second), rate in draft.cables.items()
        if (a := end_of(first)) is not None and (b := end_of(second)) is not None
    )
    links = _links(cables)
    switches = Switches(
        tuple(draft.switches[guid].name for guid in guids),
        np.array(guids, np.uint64),
        np.array([draft.switches[guid].system for guid in guids], np.uint64),
        np.array([draft.switches[guid].lid for guid in guids], np.int32),
        levels_of(len(guids), links.source, links.destination),
    )
    ports = [draft.ports[key] for key in keys]
    host_ports = HostPorts(
        tuple(port.host for port in ports),
        tuple(port.device for port in ports),
        np.array([number for _, number in keys], np.int32),
        np.array([port.guid for port in ports], np.uint64),
        np.array(
            [guid if port.node is None else port.node for (guid, _), port in zip(keys, ports, strict=True)],
            np.uint64,
        ),
        np.array([port.lid for port in ports], np.int32),
        np.array([port.lid_count for port in ports], np.int32),
    )
    return Subnet(draft.name, switches, host_ports, links, _forward(draft, guids, host_ports), draft.routing)


def _links(cables: list[tuple[int, int, int, int, float, int]]) -> Links:
    """Return both directions of each cable."""
    ends = np.array([cable[:4] for cable in cables], np.int32).reshape(-1, 4)
    both = np.stack([ends, ends[:, [2, 3, 0, 1]]], axis=1).reshape(-1, 4)
    rates = np.repeat(np.array([cable[4] for cable in cables], np.float64), 2)
    widths = np.repeat(np.array([cable[5] for cable in cables], np.int8), 2)
    return Links(both[:, 0], both[:, 1], both[:, 2], both[:, 3], rates, widths)


def _forward(draft: Draft, guids: list[int], ports: HostPorts) -> NDArray[np.uint16]:
    highest = int((ports.lids + ports.lid_counts - 1).max(initial=0))
    highest = max([highest, *(int(lids.max(initial=0)) for lids, _ in draft.tables.values())])
    width = max([1, *(table.shape[1] for _, table in draft.tables.values() if table.ndim == 2)])
    forward = np.full((len(guids), highest + 1, width), NO_PORT, np.uint16)
    for number, guid in enumerate(guids):
        if guid in draft.tables:
            lids, table = draft.tables[guid]
            columns = table if table.ndim == 2 else table[:, None]
            forward[number, lids, : columns.shape[1]] = columns
    return forward
