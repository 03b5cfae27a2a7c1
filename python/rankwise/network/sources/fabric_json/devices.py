"""Switches and host ports of fabric.json, by the names that links and tables have for them."""

from __future__ import annotations

import re
from itertools import pairwise

from rankwise.network.fabric.draft import Draft, DraftPort, DraftSwitch
from rankwise.network.sources.fabric_json.lid_tables import MOST_NUMBERED, MOST_PORT
from rankwise.network.sources.infiniband.values import MOST_LID
from rankwise.topology.machine.fields import Field

_SWITCH = ("name", "id", "guid", "system", "lid")
_HOST = ("name", "id", "device", "port", "guid", "node", "lid", "lids")
_MOST_LIDS = 128
_GUID = re.compile(r"0x[0-9a-fA-F]{1,16}")

Key = tuple[int, int]
"""Of an end of a cable, as `Draft` has it."""


class Devices:
    """The devices of a subnet.

    Attributes:
        switches: as `Draft` has them. Without GUIDs they are numbered from 1, in their order.
        ports: as `Draft` has them.
        switch_of: GUIDs of switches, by name in the file.
        lids_of: LIDs of each switch and host port, by name in the file.
    """

    def __init__(self, switches: Field, hosts: Field) -> None:
        self.switches: dict[int, DraftSwitch] = {}
        self.ports: dict[Key, DraftPort] = {}
        self.switch_of: dict[str, int] = {}
        self.lids_of: dict[str, range] = {}
        self._port_of: dict[str, Key] = {}
        self._cabled: set[Key] = set()
        self._guids = 0
        self._port_guids: set[int] = set()
        self._next: dict[int, int] = {}
        for field in switches.items(least=1):
            self._add_switch(field)
        for field in hosts.items(least=1):
            self._add_port(field)
        self._check_lids(hosts, self._number(hosts))

    def connect(self, draft: Draft, link: Field, first: Key, second: Key, rate: float, width: int) -> None:
        """Add a cable to the draft; RankwiseError if an end has a cable already, or no end is a switch's.

        Args:
            draft: to which it is added.
            link: its place in the file.
            first: an end, from `end_of`: a switch's with port 0 takes the next free one.
            second: the other end.
            rate: bytes a second.
            width: its lanes; 0: not known.
        """
        if first[0] not in self.switches and second[0] not in self.switches:
            raise link.error("one end must be a switch")
        ends = []
        for end in (first, second):
            taken = end if end[1] else (end[0], self._free(end[0], link))
            if taken in self._cabled:
                raise link.error(f"port {taken[1]} of {self._name(taken)} already has a link")
            self._cabled.add(taken)
            ends.append(taken)
        draft.link(ends[0], ends[1], rate, width)

    def end_of(self, name: Field, port: Field | None = None) -> Key:
        """Return the end of a cable; with port 0 if it is a switch's and no port is given."""
        text = name.text()
        if text in self.switch_of:
            return self.switch_of[text], port.whole(1, MOST_PORT) if port else 0
        if text not in self._port_of:
            raise name.error(f"there is no switch or host {text!r}")
        key = self._port_of[text]
        if port and port.whole(1, MOST_PORT) != key[1]:
            raise port.error(f"{text!r} is port {key[1]} of its adapter")
        return key

    def check_linked(self, hosts: Field) -> None:
        """Raise RankwiseError if a host has no link."""
        for field, (name, key) in zip(hosts.items(), self._port_of.items(), strict=True):
            if key not in self._cabled:
                raise field.error(f"{name!r} has no link")

    def _add_switch(self, field: Field) -> None:
        keys = _described(field, _SWITCH)
        if self.switches and ("guid" in keys) != bool(self._guids):
            raise field.error("either all switches or none must have a `guid`")
        guid = _guid(keys["guid"]) if "guid" in keys else len(self.switches) + 1
        if guid in self.switches:
            raise keys["guid"].error("another switch already has it")
        self._guids += "guid" in keys
        lid = keys["lid"].whole(1, MOST_LID) if "lid" in keys else 0
        name = self._new_name(field, keys)
        self.switches[guid] = DraftSwitch(
            keys["name"].text(), _guid(keys["system"]) if "system" in keys else 0, lid
        )
        self.switch_of[name] = guid
        self.lids_of[name] = range(lid, lid + 1) if lid else range(0)

    def _add_port(self, field: Field) -> None:
        keys = _described(field, _HOST)
        node = _guid(keys["node"]) if "node" in keys else 0
        number = keys["port"].whole(1, MOST_PORT) if "port" in keys else 1
        key = (node or -len(self.ports) - 1, number)  # no GUID is below 0
        if key in self.ports or node in self.switches:
            raise keys["node"].error("another one already has it")
        count = keys["lids"].whole(1, _MOST_LIDS) if "lids" in keys else 1
        if count & (count - 1):
            raise keys["lids"].error("must be 1, 2, 4 ... 128")
        guid = _guid(keys["guid"]) if "guid" in keys else 0
        if guid and (guid in self._port_guids or (self._guids and guid in self.switches)):
            raise keys["guid"].error("another one already has it")
        self._port_guids.add(guid)
        self._port_of[self._new_name(field, keys)] = key
        self.ports[key] = DraftPort(
            keys["name"].text(),
            keys["device"].text() if "device" in keys else "",
            guid,
            keys["lid"].whole(1, MOST_LID) if "lid" in keys else 0,
            count,
            node,
        )

    def _new_name(self, field: Field, keys: dict[str, Field]) -> str:
        name = keys.get("id", keys["name"]).text()
        if not keys["name"].text() or not name:
            raise field.error("its name must not be empty")
        if name in self.switch_of or name in self._port_of:
            raise field.error(f"the name {name!r} is given twice: give one of them an `id`")
        return name

    def _number(self, hosts: Field) -> int:
        """Number the LIDs of host ports if none is given; return the highest possible LID."""
        ports = list(self.ports.values())
        has_lids = any(port.lid for port in ports)
        if not has_lids:
            if any(switch.lid for switch in self.switches.values()):
                raise hosts.error("switches have a `lid`, but these do not")
            following = 1
            for port in ports:
                port.lid = following
                following += port.lid_count
        for field, (name, key) in zip(hosts.items(), self._port_of.items(), strict=True):
            port = self.ports[key]
            if not port.lid:
                raise field.error("either all hosts or none must have a `lid`")
            self.lids_of[name] = range(port.lid, port.lid + port.lid_count)
        return MOST_LID if has_lids else MOST_NUMBERED

    def _check_lids(self, hosts: Field, most: int) -> None:
        owners = sorted((lids.start, lids.stop, name) for name, lids in self.lids_of.items() if lids)
        for (_, behind, name), (first, _, other) in pairwise(owners):
            if behind > first:
                raise hosts.error(f"LID {first} of {other!r} also belongs to {name!r}")
        if owners[-1][1] > most + 1:
            raise hosts.error(f"{owners[-1][2]!r} has a LID above {most}")

    def _free(self, switch: int, link: Field) -> int:
        port = self._next.get(switch, 1)
        while (switch, port) in self._cabled:
            port += 1
        self._next[switch] = port + 1
        if port > MOST_PORT:
            raise link.error(f"{self._name((switch, 0))} has no port left for it")
        return port

    def _name(self, key: Key) -> str:
        return self.switches[key[0]].name if key[0] in self.switches else self.ports[key].host


def _described(field: Field, known: tuple[str, ...]) -> dict[str, Field]:
    return {"name": field} if isinstance(field.value, str) else field.keys(known, required=("name",))


def _guid(field: Field) -> int:
    text = field.text()
    if not _GUID.fullmatch(text) or int(text, 16) == 0:
        raise field.error("must be a GUID such as 0x0002c903000e0b70")
    return int(text, 16)
