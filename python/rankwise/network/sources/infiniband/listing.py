"""Devices and their ports while a file is read: in bulk where it has the usual form, else line by line."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.native import Arguments
from rankwise.network.sources.infiniband.listed import Ends, ListedCables
from rankwise.network.sources.infiniband.rates import rate_of, width_of

_OF_DEVICES: dict[str, type] = {
    "kind": np.uint8,
    "node": np.uint64,
    "system": np.uint64,
    "port_count": np.int32,
    "name": np.int64,
    "name_size": np.int32,
}
_OF_PORTS: dict[str, type] = {
    "line": np.int64,
    "device": np.int32,
    "number": np.int32,
    "guid": np.uint64,
    "lid": np.int32,
    "lid_count": np.int32,
    "far_kind": np.uint8,
    "far_node": np.uint64,
    "far_number": np.int32,
    "far_guid": np.uint64,
    "far_lid": np.int32,
    "far_name": np.int64,
    "far_name_size": np.int32,
    "rate": np.uint64,
}
_RATE_SIZE = 8
_RATE = re.compile(r"(\w+x)?(\S+)")


class Port(NamedTuple):
    """A port and its device; fields as in `Ends`, and the device's name."""

    kind: int
    node: int
    number: int
    guid: int
    name: str
    lid: int


def rate_and_lanes(word: str) -> tuple[float, int]:
    """Return the rate of a link in bytes per second, and its lanes, from a word such as 4xEDR.

    Nan and 0: it is not known.
    """
    match = _RATE.fullmatch(word)
    if match is None:
        return math.nan, 0
    width, speed = match.groups(default="")
    return rate_of(width, speed), width_of(width)


class Listing:
    """Devices and ports of a text, as columns with the names of include/rankwise/fabric.h."""

    def __init__(self, text: bytes) -> None:
        """Begin without any.

        Args:
            text: all of the file. A device has a # and a blank, a port begins with [. Between the ports of a
                device the facts about it may change: it is then added again.
        """
        self._text = text
        self._given = Arguments()
        self._struct = self._given.new("struct rankwise_listed *")
        self._line = self._given.new("int64_t *")
        self._columns: dict[str, NDArray[Any]] = {}
        ports = text.count(b"[")
        for fields, most in ((_OF_DEVICES, text.count(b"# ") + ports), (_OF_PORTS, ports)):
            for name, kind in fields.items():
                column: NDArray[Any] = np.empty(most, kind)
                self._columns[name] = column
                pointer = self._given.pointer(column, kind, f"{np.dtype(kind).name}_t *")
                setattr(self._struct, name, pointer)
        self._names = bytearray()
        """Names from single lines: their places are behind the text."""
        self._rates: dict[int, tuple[float, int]] = {}
        """Rates and lanes from single lines, by the number of the port."""

    def __len__(self) -> int:
        """Return the number of ports."""
        count: int = self._struct.ports
        return count

    def read(self, place: int, line: int) -> tuple[int, int]:
        """Read paragraphs in bulk, and return place and line behind them.

        Args:
            place: where a paragraph begins, in the text.
            line: its number.
        """
        self._line[0] = line
        behind: int = self._given.library.rankwise_read_listed(
            self._text, len(self._text), place, self._struct, self._line
        )
        return behind, self._line[0]

    def add_device(self, kind: int, node: int, system: int, port_count: int, name: str) -> None:
        """Add a device from a line; fields as in `Ends` and `ListedCables`."""
        place, self._struct.devices = self._struct.devices, self._struct.devices + 1
        self._set(place, kind=kind, node=node, system=system, port_count=port_count)
        self._set_name(place, "name", name)

    def add_port(self, line: int, near: Port, far: Port, lid_count: int, rate: tuple[float, int]) -> None:
        """Add a port of the last device from a line.

        Args:
            line: its number.
            near: the port.
            far: the port that it is linked with.
            lid_count: of the port; 0: not known.
            rate: bytes a second, nan if they are not known; and lanes, 0 if they are not known.
        """
        place, self._struct.ports = self._struct.ports, self._struct.ports + 1
        self._rates[place] = rate
        self._set(
            place,
            line=line,
            device=self._struct.devices - 1,
            number=near.number,
            guid=near.guid,
            lid=near.lid,
            lid_count=lid_count,
            far_kind=far.kind,
            far_node=far.node,
            far_number=far.number,
            far_guid=far.guid,
            far_lid=far.lid,
            rate=0,
        )
        self._set_name(place, "far_name", far.name)

    def port_counts(self) -> dict[int, int]:
        """Return the number of ports of each device, by GUID."""
        node, count = (self._columns[name][: self._struct.devices] for name in ("node", "port_count"))
        return dict(zip(node.tolist(), count.tolist(), strict=True))

    def cables(self) -> ListedCables:
        """Return all ports with their cables."""
        of_device = {name: self._columns[name][: self._struct.devices] for name in _OF_DEVICES}
        of_port = {name: self._columns[name][: len(self)] for name in _OF_PORTS}
        descriptions, index = self._descriptions(
            np.concatenate([of_device["name"], of_port["far_name"]]),
            np.concatenate([of_device["name_size"], of_port["far_name_size"]]),
        )
        own_names, far_names = np.split(index, [len(of_device["name"])])
        device = of_port["device"]
        near = Ends(
            of_device["kind"][device],
            of_device["node"][device],
            of_port["number"],
            of_port["guid"],
            own_names[device],
            of_port["lid"],
        )
        far = Ends(
            of_port["far_kind"],
            of_port["far_node"],
            of_port["far_number"],
            of_port["far_guid"],
            far_names,
            of_port["far_lid"],
        )
        rates, widths = self._rates_of(of_port["rate"])
        return ListedCables(
            descriptions=descriptions,
            near=near,
            device=device,
            system=of_device["system"][device],
            lid_count=of_port["lid_count"],
            far=far,
            lines=of_port["line"],
            rates=rates,
            widths=widths,
        )

    def _set(self, place: int, **values: int) -> None:
        for name, value in values.items():
            self._columns[name][place] = value

    def _set_name(self, place: int, column: str, name: str) -> None:
        encoded = name.encode()
        self._set(place, **{column: len(self._text) + len(self._names), f"{column}_size": len(encoded)})
        self._names += encoded

    def _descriptions(
        self, places: NDArray[np.int64], sizes: NDArray[np.int32]
    ) -> tuple[list[str], NDArray[np.int64]]:
        """Return different names, and the number of each name among them."""
        text = self._text + self._names if self._names else self._text
        first = np.empty(len(places), np.int64)
        given = Arguments()
        if given.library.rankwise_find_same(
            text,
            given.pointer(places, np.int64, "int64_t *"),
            given.pointer(sizes, np.int32, "int32_t *"),
            len(places),
            given.pointer(first, np.int64, "int64_t *"),
        ):
            raise MemoryError
        chosen, index = np.unique(first, return_inverse=True)
        chosen_places = zip(places[chosen].tolist(), sizes[chosen].tolist(), strict=True)
        return [text[place : place + size].decode("utf-8", "replace") for place, size in chosen_places], index

    def _rates_of(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
        distinct, place = np.unique(words, return_inverse=True)
        known = [
            rate_and_lanes(word.to_bytes(_RATE_SIZE, "little").rstrip(b"\0").decode())
            for word in distinct.tolist()
        ]
        rates = np.array([rate for rate, _ in known])[place]
        widths = np.array([lanes for _, lanes in known], np.int8)[place]
        for port, (rate, lanes) in self._rates.items():
            rates[port], widths[port] = rate, lanes
        return rates, widths
