"""Devices and cables of a subnet, from files that must agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.network.fabric.draft import Draft, DraftPort, DraftSwitch, ManyCables
from rankwise.network.sources.infiniband.hosts import Adapter, host_names
from rankwise.network.sources.infiniband.listed import ListedCables, Wired
from rankwise.network.sources.infiniband.names import is_aggregation, is_factory, switch_name
from rankwise.network.sources.parts import ROUTER, SWITCH, Cable, Cables, End
from rankwise.network.sources.text import TextFile, printable

Key = tuple[int, int]
"""Of an end of a cable: GUID of its device, number of the port."""

_MOST_SHOWN = 66
"""Characters: an InfiniBand node description has at most 64, all shown."""
_CURE = "; the files were not taken at the same time"


class _Place(NamedTuple):
    file: TextFile
    line: int

    def __str__(self) -> str:
        return f"{self.file.path}: line {self.line}"

    def error(self, message: str) -> RankwiseError:
        return self.file.error(self.line, message)


@dataclass
class _Seen:
    """A switch, or a port of an adapter, and the place where it was first described."""

    end: End
    place: _Place


class Cabling:
    """Merges cables. Files complete each other; the first rate of a cable counts."""

    def __init__(self) -> None:
        self._seen: dict[Key, _Seen] = {}  # switches under port 0
        self._kinds: dict[int, str] = {}
        self._by_guid: dict[int, Key] = {}
        self._by_lid: dict[int, Key] = {}
        self._far: dict[Key, tuple[Key, _Place]] = {}
        self._rates: dict[tuple[Key, Key], float] = {}
        self._widths: dict[tuple[Key, Key], int] = {}
        self._idle: set[tuple[Key, Key]] = set()
        self._alone: Cables | None = None  # a first file without contradictions; the dicts lack its cables
        self._wired: ManyCables | None = None  # of this file

    def add(self, cables: Cables) -> None:
        """Add the cables of a file.

        Raises:
            RankwiseError: a port has two cables, a LID two owners, or two lines disagree about a device.
        """
        listed = cables.cables
        if isinstance(listed, ListedCables) and listed.wired is not None and not self._seen:
            self._take(listed.wired, cables)
            return
        if self._alone is not None:
            first, self._alone, self._wired = self._alone, None, None
            self._seen.clear()
            self._add_each(first)
        self._add_each(cables)

    def set_lids(self, guid: int, lid: int, count: int, file: TextFile, line: int) -> None:
        """Set how many LIDs a port has; RankwiseError if its lowest is not `lid`."""
        key = self._by_guid.get(guid)
        if key is None:
            return
        port = self._seen[key]
        if port.end.lid != lid:
            raise file.error(line, f"its lowest LID is {lid}, but {port.end.lid} in {port.place}")
        port.end = port.end._replace(lid_count=count)

    def lids(self) -> set[int]:
        """Return the lowest LID of each port and switch that was seen."""
        return {*self._by_lid}

    def place_of(self, switch: int) -> str:
        """Return where a switch was first described."""
        return str(self._seen[switch, 0].place)

    def draft(self) -> tuple[Draft, list[str]]:
        """Return the part that carries messages of hosts, and a line for each kind of omitted part."""
        draft = Draft()
        left_out = set()
        routers = set()
        nameless = set()
        adapters: dict[Key, End] = {}
        for key, port in self._seen.items():
            end = port.end
            if end.kind == SWITCH:
                name = switch_name(end.description, end.node)
                draft.switches[end.node] = DraftSwitch(name, end.system, end.lid)
            elif end.kind == ROUTER:
                routers.add(key[0])
            elif is_aggregation(end.description):
                left_out.add(key[0])
            else:
                adapters[key] = end
                if is_factory(end.description):
                    nameless.add(key[0])
        left_out |= routers
        hosts = host_names(
            [
                Adapter(key[0], end.system, 0 if end.node else end.number, end.description)
                for key, end in adapters.items()
            ]
        )
        for (key, end), (host, device) in zip(adapters.items(), hosts.names, strict=True):
            draft.ports[key] = DraftPort(host, device, end.guid, end.lid, end.lid_count, end.node)
        for (first, second), rate in self._rates.items():
            if (first, second) not in self._idle and first[0] not in left_out and second[0] not in left_out:
                draft.link(first, second, rate, self._widths[first, second])
        if self._wired is not None:
            is_out = np.isin(self._wired.nodes, np.array([*left_out], np.uint64)).any(axis=1)
            draft.more_cables = self._wired.chosen(np.flatnonzero(np.logical_not(is_out)))
        warnings = [
            f"{what}: {count}"
            for what, count in (
                ("links ignored because they are not active", len(self._idle)),
                ("routers ignored, with everything behind them", len(routers)),
                ("adapters whose description names no host; their GUID is used instead", len(nameless)),
            )
            if count
        ]
        return draft, [*warnings, *hosts.warnings]

    def _take(self, wired: Wired, cables: Cables) -> None:
        """Take over what adding each cable of a first file would lead to."""
        self._alone, self._wired = cables, wired.cables
        for end, line in zip(wired.ends, wired.lines, strict=True):
            where = end.node, end.number
            self._seen[where] = _Seen(end, _Place(cables.file, line))
            self._kinds[end.node] = end.kind
            self._by_guid[end.guid] = self._by_lid[end.lid] = where

    def _add_each(self, cables: Cables) -> None:
        for cable in cables.cables:
            self._add(cable, _Place(cables.file, cable.line))

    def _add(self, cable: Cable, place: _Place) -> None:
        first, second = self._key(cable.near, place), self._key(cable.far, place)
        if first == second:
            raise place.error(f"port {first[1]} of {self._name(first)} is linked to itself")
        for end, far in ((first, second), (second, first)):
            before, first_place = self._far.setdefault(end, (far, place))
            if before != far:
                raise place.error(
                    f"port {end[1]} of {self._name(end)} has another cable already: {first_place}"
                )
        ends = min(first, second), max(first, second)
        if not cable.active:
            self._idle.add(ends)
        if math.isnan(self._rates.setdefault(ends, cable.rate)):
            self._rates[ends] = cable.rate
        self._widths[ends] = self._widths.get(ends) or cable.width

    def _key(self, end: End, place: _Place) -> Key:
        """Return the key of an end, and remember its description."""
        number = end.number
        if end.kind == SWITCH:
            where, end = (end.node, 0), end._replace(number=0)
        elif end.node:
            where = end.node, end.number
        else:
            where = self._by_guid.get(end.guid, (end.guid, end.number))
        port = self._seen.get(where)
        if port is None:
            self._seen[where] = port = _Seen(end, place)
        elif port.end != end:
            port.end = _joined(port, end, place)
        if self._kinds.setdefault(where[0], end.kind) != end.kind:
            raise place.error(f"0x{where[0]:016x} is a {end.kind} here, elsewhere a {self._kinds[where[0]]}")
        if end.guid and self._by_guid.setdefault(end.guid, where) != where:
            raise self._twice(place, f"port GUID 0x{end.guid:016x}", where, self._by_guid[end.guid])
        if end.lid and self._by_lid.setdefault(end.lid, where) != where:
            raise self._twice(place, f"LID {end.lid}", where, self._by_lid[end.lid])
        return where[0], number

    def _twice(self, place: _Place, what: str, where: Key, before: Key) -> RankwiseError:
        here, there = self._name(where), self._name(before)
        return place.error(f"{what} is that of {here}, but of {there} in {self._seen[before].place}{_CURE}")

    def _name(self, key: Key) -> str:
        port = self._seen.get((key[0], 0)) or self._seen[key]
        return printable(port.end.description)[:_MOST_SHOWN] or f"0x{key[0]:016x}"


_WORDS = {"kind": "kind", "node": "node GUID", "guid": "port GUID", "number": "port", "lid": "LID"}
_WORDS |= {"description": "description", "lid_count": "number of LIDs", "system": "system GUID"}


def _joined(port: _Seen, end: End, place: _Place) -> End:
    """Merge two descriptions; RankwiseError if they disagree."""
    for field, before, now in zip(End._fields, port.end, end, strict=True):
        if before and now and before != now:
            name = printable(port.end.description)[:_MOST_SHOWN] or f"0x{port.end.guid:016x}"
            shown, other = (_shown(field, value) for value in (now, before))
            raise place.error(f"the {_WORDS[field]} of {name} is {shown}, but {other} in {port.place}{_CURE}")
    return End._make(before or now for before, now in zip(port.end, end, strict=True))


def _shown(field: str, value: object) -> str:
    if field in ("node", "guid", "system"):
        return f"0x{value:016x}"
    return printable(repr(value))[:_MOST_SHOWN]
