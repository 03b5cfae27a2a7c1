"""Links as ibdiagnet 2 writes them in ibdiagnet2.net_dump: a paragraph for each switch, a row for each port.

Columns are found by their names: later versions have others. LIDs are decimal, GUIDs hexadecimal. If
ports have labels, such as 1/1/1, their peers have the label, too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rankwise.network.sources.infiniband.rates import rate_of, width_of
from rankwise.network.sources.infiniband.values import check_lid, check_port
from rankwise.network.sources.parts import HOST, SWITCH, Cable, Cables, End
from rankwise.network.sources.text import TextFile

_DEVICE = re.compile(r'"(.*)", *[^,]*, *0x([0-9a-fA-F]{1,16}), *LID (\d{1,9})')
_HEAD = re.compile(rb'^"[^"\n]*", *[^,\n]*, *0x[0-9a-fA-F]{1,16}, *LID \d', re.MULTILINE)
_COLUMNS = ("#", "IB#", "Sta", "LWA", "LSA", "Neighbor Guid", "N#", "NLID", "Neighbor Description")
_GUID = re.compile(r"0x[0-9a-fA-F]{1,16}")


class _Row(NamedTuple):
    """A port of a switch that is linked."""

    line: int
    switch: End
    label: str
    active: bool
    rate: float
    lanes: int
    guid: int
    far: str
    lid: int
    description: str


def is_net_dump(head: bytes) -> bool:
    """Return whether a file that begins with `head` is such a dump."""
    return bool(_HEAD.search(head)) and b"Neighbor Guid" in head


def read_net_dump(file: TextFile) -> Cables:
    """Return the cables, as listed for switches; RankwiseError names a wrong line."""
    rows = _rows(file)
    switches = {row.switch.node for row in rows}
    of_label = {(row.switch.node, row.label): row.switch.number for row in rows}
    ports: dict[int, set[str]] = {}
    for row in rows:
        ports.setdefault(row.guid, set()).add(row.far)
    cables = []
    for row in rows:
        number = of_label.get((row.guid, row.far), int(row.far) if row.far.isdecimal() else 0)
        number = check_port(file, row.line, number)
        if row.guid in switches:
            far = End(SWITCH, row.guid, row.guid, number, row.description, check_lid(file, row.line, row.lid))
        else:  # an adapter with several ports: the GUID of the node
            is_node = len(ports[row.guid]) > 1
            node, guid = (row.guid, 0) if is_node else (0, row.guid)
            far = End(HOST, node, guid, number, row.description, check_lid(file, row.line, row.lid))
        cables.append(Cable(row.line, row.switch, far, row.rate, row.active, row.lanes))
    return Cables(file, cables)


def _rows(file: TextFile) -> list[_Row]:
    rows = []
    device: tuple[str, int, int] | None = None
    places: dict[str, int] = {}
    for number, line in enumerate(file.lines, 1):
        text = line.strip()
        match = _DEVICE.fullmatch(text)
        words = [word.strip() for word in text.split(":")]
        if match:
            device = match[1], int(match[2], 16), check_lid(file, number, int(match[3]))
        elif "Neighbor Guid" in words:
            places = {name: words.index(name) for name in _COLUMNS if name in words}
            missing = next((name for name in _COLUMNS if name not in places), None)
            if missing or places[_COLUMNS[-1]] != len(words) - 1:
                raise file.error(number, f"has no column {missing or _COLUMNS[-1]} at its place")
        elif text and not text.startswith("#"):
            if device is None or not places:
                raise file.error(number, "is a row of a port, but there is no switch with columns above it")
            row = _row(file, number, text, device, places)
            if row:
                rows.append(row)
    return rows


def _row(
    file: TextFile, number: int, text: str, device: tuple[str, int, int], places: dict[str, int]
) -> _Row | None:
    """Return a port; None: it is not linked."""
    words = [word.strip() for word in text.split(":", places[_COLUMNS[-1]])]
    if len(words) <= places[_COLUMNS[-1]] or file.is_cut(number):
        if len(words) > places["Sta"] and words[places["Sta"]] in ("DOWN", "DWN"):
            return None
        raise file.error(number, "is only a part of a row: is the file cut off?")
    fields = {name: words[place] for name, place in places.items()}
    if not _GUID.fullmatch(fields["Neighbor Guid"]):
        return None
    if not fields["IB#"].isdecimal() or not fields["NLID"].isdecimal():
        raise file.error(number, "has something else where the number of a port, or a LID, should be")
    name, guid, lid = device
    here = End(SWITCH, guid, guid, check_port(file, number, int(fields["IB#"])), name, lid)
    return _Row(
        line=number,
        switch=here,
        label=fields["#"],
        active=fields["Sta"] in ("ACT", "ACTIVE"),
        rate=rate_of(fields["LWA"], fields["LSA"]),
        lanes=width_of(fields["LWA"]),
        guid=int(fields["Neighbor Guid"], 16),
        far=fields["N#"],
        lid=int(fields["NLID"]),
        description=fields["Neighbor Description"].strip('"'),
    )
