"""Links as `iblinkinfo` prints them, by device or, with -l, each in a line. LIDs and ports are decimal.

The GUID of a switch is that of its port 0, usually also its node GUID; that of an adapter's node is
missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rankwise.network.sources.infiniband.rates import rate_of, width_of
from rankwise.network.sources.infiniband.values import check_lid, check_port
from rankwise.network.sources.parts import HOST, ROUTER, SWITCH, Cable, Cables, End
from rankwise.network.sources.text import TextFile

_KINDS = {"Switch": SWITCH, "CA": HOST, "Router": ROUTER}
_DEVICE = re.compile(r"(Switch|CA|Router):? (?:0x([0-9a-fA-F]{16}) )?(.*):")
_NUMBERS = r"(\d{1,9})\s+(\d{1,4})\[ *\d*\]"
_GUID = r"(?:0x([0-9a-fA-F]{16})\s+)?"
_RATE = r"(?:(\d+X)\s+([\d.]+) Gbps(?: \((FDR10)\))?|.*?)"
_LINK = rf"\(\s*{_RATE}\s+(\w+) ?/ *(\w+)\)(?: \(HOQ:.*?\))?"
_PORT = re.compile(
    rf"{_GUID}(?:\"(.*?)\"\s+)?{_NUMBERS}\s+=={_LINK}==>\s+{_GUID}(?:{_NUMBERS} \"(.*)\" \(.*\)|.*)"
)
_HEAD = re.compile(rb"==\(.{1,80}\)==>")


class _Port(NamedTuple):
    """A port on a line; '' and 0 stand for missing values."""

    line: int
    kind: str
    guid: int
    description: str
    lid: int
    number: int


_Link = tuple[_Port, _Port, float, bool, int]
"""Near and far end, rate, whether messages go there, lanes."""


def is_iblinkinfo(head: bytes) -> bool:
    """Return whether a file that begins with `head` is iblinkinfo's output."""
    return bool(_HEAD.search(head))


def read_iblinkinfo(file: TextFile) -> Cables:
    """Return the cables, one entry per end that lists it; RankwiseError names a wrong line."""
    links = list(_links(file))
    kinds = _kinds(links)
    by_lid = {here.lid: here for here, *_ in links}
    cables = []
    for here, there, rate, active, lanes in links:
        if not there.guid:  # in paragraphs the far end is known by its LID
            if there.lid not in by_lid:
                raise file.error(
                    here.line,
                    f"LID {there.lid} belongs to no device in this file: print all devices, or use -l",
                )
            there = there._replace(guid=by_lid[there.lid].guid)
        first, second = (_end(file, port, kinds) for port in (here, there))
        cables.append(Cable(here.line, first, second, rate, active, lanes))
    return Cables(file, cables)


def _links(file: TextFile) -> Iterator[_Link]:
    """Return the ports that are linked."""
    kind, switch, name = "", 0, ""
    for number, line in enumerate(file.lines, 1):
        text = line.strip()
        device = _DEVICE.fullmatch(text)
        if device:
            kind, switch, name = _KINDS[device[1]], int(device[2] or "0", 16), device[3].strip()
            continue
        match = _PORT.fullmatch(text)
        if not match or file.is_cut(number):
            if text and not text.startswith("#"):
                raise file.error(number, "is not a port with its link, or is cut off")
            continue
        guid, near, lid, port, width, speed, fdr10, state, *rest = match.groups()
        _, far_guid, far_lid, far_port, far = rest
        if far_port is None:
            continue
        here = _Port(
            number,
            "" if near is not None else kind,
            int(guid, 16) if guid else switch,
            name if near is None else near.strip(),
            int(lid),
            int(port),
        )
        if not here.guid:
            raise file.error(number, "is a port, but its device has no GUID above it")
        there = _Port(number, "", int(far_guid or "0", 16), far, int(far_lid), int(far_port))
        yield (
            here,
            there,
            rate_of(width or "", fdr10 or speed or ""),
            state == "Active",
            width_of(width or ""),
        )


def _kinds(links: list[_Link]) -> dict[int, str]:
    """Return kinds by GUID; with -l lines do not name them, but a switch has one GUID for several ports."""
    kinds = {here.guid: here.kind for here, *_ in links if here.kind}
    first: dict[int, int] = {}
    for here, there, *_ in links:
        for port in (here, there):
            if port.guid and first.setdefault(port.guid, port.number) != port.number:
                kinds.setdefault(port.guid, SWITCH)
    return kinds


def _end(file: TextFile, port: _Port, kinds: dict[int, str]) -> End:
    kind = kinds.get(port.guid, HOST)
    return End(
        kind,
        port.guid if kind == SWITCH else 0,
        port.guid,
        check_port(file, port.line, port.number),
        port.description,
        check_lid(file, port.line, port.lid),
    )
