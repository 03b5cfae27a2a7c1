"""A subnet while it is being read: devices and cables in any order; `finished` puts them in theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.levels import levels_of
from rankwise.network.fabric.model import NO_PORT, HostPorts, Links, Routing, Subnet, Switches

_MOST_GUID = (1 << 64) - 1


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


class ManyCables(NamedTuple):
    """C cables as columns.

    Attributes:
        nodes: shape (C, 2), uint64: node GUIDs of the ends, as `_unsigned` returns them.
        ports: shape (C, 2), int64: their numbers.
        rates: shape (C,): bytes a second; nan: not known.
        widths: shape (C,), int8: lanes; 0: not known.
    """

    nodes: NDArray[np.uint64]
    ports: NDArray[np.int64]
    rates: NDArray[np.float64]
    widths: NDArray[np.int8]

    def chosen(self, places: NDArray[Any]) -> ManyCables:
        """Return those at some places."""
        return ManyCables(self.nodes[places], self.ports[places], self.rates[places], self.widths[places])

    def and_more(self, others: ManyCables) -> ManyCables:
        """Return these and others."""
        return ManyCables(
            np.concatenate([self.nodes, others.nodes]),
            np.concatenate([self.ports, others.ports]),
            np.concatenate([self.rates, others.rates]),
            np.concatenate([self.widths, others.widths]),
        )


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
        more_cables: others, each once.
        tables: of each switch, by node GUID: LIDs, shape (n,), and ports, any integers of shape (n,) or
            (n, W) of an even split, filled with NO_PORT.
    """

    name: str = ""
    routing: Routing = field(default_factory=lambda: Routing(""))
    switches: dict[int, DraftSwitch] = field(default_factory=dict)
    ports: dict[tuple[int, int], DraftPort] = field(default_factory=dict)
    cables: dict[tuple[tuple[int, int], tuple[int, int]], float] = field(default_factory=dict)
    widths: dict[tuple[tuple[int, int], tuple[int, int]], int] = field(default_factory=dict)
    more_cables: ManyCables | None = None
    tables: dict[int, tuple[NDArray[np.int64], NDArray[np.integer]]] = field(default_factory=dict)

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
    cables = _all_cables(draft)
    keys = sorted(
        _at_switches(draft, cables, guids),
        key=lambda key: (draft.ports[key].host, draft.ports[key].device, key[1], key[0]),
    )
    links = _links(cables, guids, keys)
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


def _all_cables(draft: Draft) -> ManyCables:
    ends = [end for cable in draft.cables for end in cable]
    cables = ManyCables(
        _unsigned([node for node, _ in ends]).reshape(-1, 2),
        np.array([port for _, port in ends], np.int64).reshape(-1, 2),
        np.fromiter(draft.cables.values(), np.float64, len(draft.cables)),
        np.array([draft.widths.get(cable, 0) for cable in draft.cables], np.int8),
    )
    if draft.more_cables is None:
        return cables
    return cables.and_more(draft.more_cables)


def _unsigned(nodes: Sequence[int]) -> NDArray[np.uint64]:
    """Return GUIDs, and the negative numbers that stand for unknown ones."""
    return np.array([node & _MOST_GUID for node in nodes], np.uint64)


def _at_switches(draft: Draft, cables: ManyCables, guids: list[int]) -> list[tuple[int, int]]:
    """Return the keys of the ports that have a cable to a switch."""
    linked = np.isin(cables.nodes, _unsigned(guids))[:, ::-1]
    ends = {*zip(cables.nodes[linked].tolist(), cables.ports[linked].tolist(), strict=True)}
    return [key for key in draft.ports if (key[0] & _MOST_GUID, key[1]) in ends]


def _links(cables: ManyCables, guids: list[int], keys: list[tuple[int, int]]) -> Links:
    """Return both directions of each cable between known ends.

    Args:
        cables: all.
        guids: of the switches, which have the first numbers, rising.
        keys: of the ports of hosts, which have the next.
    """
    number, ends = _numbered(cables, guids, keys), cables.ports
    known = np.flatnonzero((number >= 0).all(axis=1))
    number, ends = number[known], ends[known]
    flipped = (number[:, 0] > number[:, 1]) | ((number[:, 0] == number[:, 1]) & (ends[:, 0] > ends[:, 1]))
    number[flipped], ends[flipped] = number[flipped, ::-1], ends[flipped, ::-1]
    order = np.lexsort((ends[:, 1], number[:, 1], ends[:, 0], number[:, 0]))
    far = np.stack([number[order, 0], ends[order, 0], number[order, 1], ends[order, 1]], axis=1)
    both = np.stack([far, far[:, [2, 3, 0, 1]]], axis=1).reshape(-1, 4).astype(np.int32)
    rates, widths = np.repeat(cables.rates[known][order], 2), np.repeat(cables.widths[known][order], 2)
    return Links(both[:, 0], both[:, 1], both[:, 2], both[:, 3], rates, widths)


def _numbered(cables: ManyCables, guids: list[int], keys: list[tuple[int, int]]) -> NDArray[np.int64]:
    """Return the numbers of the ends of cables, shape (C, 2); -1: of ends that are neither."""
    number = np.full(cables.nodes.shape, -1, np.int64)
    if keys:
        nodes, node = np.unique(_unsigned([node for node, _ in keys]), return_inverse=True)
        width = int(max(cables.ports.max(initial=0), max(port for _, port in keys))) + 1
        place, is_node = _found(nodes, cables.nodes)
        of_port, is_port = _found(
            node * width + np.array([port for _, port in keys]), place * width + cables.ports
        )
        number = np.where(is_node & is_port, len(guids) + of_port, number)
    if guids:
        of_switch, is_switch = _found(_unsigned(guids), cables.nodes)
        number = np.where(is_switch, of_switch, number)
    return number


def _found(values: NDArray[Any], wanted: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the place in `values` of each wanted one, and whether it is there."""
    order = np.argsort(values)
    place = order[np.minimum(np.searchsorted(values[order], wanted), len(values) - 1)]
    return place, values[place] == wanted


def _forward(draft: Draft, guids: list[int], ports: HostPorts) -> NDArray[np.uint16]:
    highest = int((ports.lids + ports.lid_counts - 1).max(initial=0))
    highest = max([highest, *(int(lids.max(initial=0)) for lids, _ in draft.tables.values())])
    width = max([1, *(table.shape[1] for _, table in draft.tables.values() if table.ndim == 2)])
    forward = np.empty((len(guids), highest + 1, width), np.uint16)
    lids_before, places = None, None
    for row, guid in zip(forward, guids, strict=True):
        row[:] = NO_PORT
        if guid in draft.tables:
            lids, table = draft.tables[guid]
            if lids is not lids_before:  # most switches have the same
                lids_before, places = lids, _slice_of(lids)
            columns = table if table.ndim == 2 else table[:, None]
            row[places, : columns.shape[1]] = columns
    return forward


def _slice_of(lids: NDArray[np.int64]) -> NDArray[np.int64] | slice:
    """Return rising numbers as a slice if they are consecutive, which numpy copies many times as fast."""
    if len(lids) and lids[-1] - lids[0] + 1 == len(lids) and (np.diff(lids) == 1).all():
        return slice(int(lids[0]), int(lids[-1]) + 1)
    return lids
