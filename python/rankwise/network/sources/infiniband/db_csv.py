"""Links in the database that ibdiagnet 2 writes (ibdiagnet2.db_csv): sections of comma-separated values.

NODES has the devices, PORTS their ports with LIDs, state and speed, LINKS the cables. Columns are found
by their names: later versions have more. Forwarding tables are not in it.
"""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.network.sources.infiniband.rates import rate_of, width_of
from rankwise.network.sources.infiniband.values import check_lid, check_port
from rankwise.network.sources.parts import HOST, ROUTER, SWITCH, Cable, Cables, End
from rankwise.network.sources.text import TextFile

_COLUMNS = {
    "NODES": ("NodeDesc", "NodeType", "SystemImageGUID", "NodeGUID"),
    "PORTS": ("NodeGuid", "PortGuid", "PortNum", "LID", "LMC", "LinkWidthActv", "LinkSpeedActv", "PortState"),
    "LINKS": ("NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"),
}
_KINDS = {1: HOST, 2: SWITCH, 3: ROUTER}
_WIDTHS = {1: "1x", 2: "4x", 4: "8x", 8: "12x", 16: "2x"}
_SPEEDS = {1: "SDR", 2: "DDR", 4: "QDR", 1 << 8: "FDR", 2 << 8: "EDR", 4 << 8: "HDR", 8 << 8: "NDR"}
_SPEEDS |= {1 << 16: "FDR10", 2 << 16: "EDR20", 1 << 24: "XDR"}
_ACTIVE = 4
_MOST_LMC = 7
_HEAD = re.compile(rb"^START_[A-Z_]+\r?$", re.MULTILINE)
_TITLE = re.compile(r"(START|END)_([A-Z0-9_]+)")


def is_db_csv(head: bytes) -> bool:
    """Return whether a file that begins with `head` is such a database."""
    return bool(_HEAD.search(head))


class _Row(NamedTuple):
    """A row of a section: its line, and the values of the columns in _COLUMNS."""

    line: int
    values: tuple[str, ...]


class _Port(NamedTuple):
    guid: int
    lid: int
    lid_count: int
    rate: float
    active: bool
    lanes: int


def read_db_csv(file: TextFile) -> Cables:
    """Return the cables; RankwiseError names the line that is wrong, or the section that is missing."""
    sections = _sections(file)
    nodes: dict[int, tuple[str, str, int]] = {}
    for line, values in sections["NODES"]:
        description = values[0]
        kind, system, guid = (_whole(file, line, word) for word in values[1:])
        if kind not in _KINDS:
            raise file.error(line, f"its NodeType is {kind}; known are 1 to 3")
        nodes[guid] = _KINDS[kind], description, system
    ports: dict[tuple[int, int], _Port] = {}
    for line, values in sections["PORTS"]:
        node, guid, number, lid, lmc, width, speed, state = (_whole(file, line, word) for word in values)
        if lmc > _MOST_LMC:
            raise file.error(line, f"its LMC is {lmc}, above {_MOST_LMC}")
        words = _WIDTHS.get(width, ""), _SPEEDS.get(speed, "")
        ports[node, number] = _Port(
            guid,
            check_lid(file, line, lid),
            1 << lmc,
            rate_of(*words),
            state == _ACTIVE,
            width_of(words[0]),
        )
    cables = []
    for line, values in sections["LINKS"]:
        first, one_port, second, other_port = (_whole(file, line, word) for word in values)
        both = ((first, one_port), (second, other_port))
        for node, number in both:
            if node not in nodes or (node, number) not in ports:
                raise file.error(line, f"port {number} of 0x{node:016x} is in no row of NODES or PORTS")
        here, there = (_end(file, line, node, number, nodes, ports) for node, number in both)
        active = all(ports[end].active for end in both)
        cables.append(Cable(line, here, there, ports[both[0]].rate, active, ports[both[0]].lanes))
    return Cables(file, cables)


def _end(
    file: TextFile,
    line: int,
    node: int,
    port: int,
    nodes: dict[int, tuple[str, str, int]],
    ports: dict[tuple[int, int], _Port],
) -> End:
    kind, description, system = nodes[node]
    facts = ports[node, port]
    if kind == SWITCH:  # its LID is in port 0
        facts = ports.get((node, 0), facts)
    return End(
        kind,
        node,
        facts.guid,
        check_port(file, line, port),
        description,
        facts.lid,
        facts.lid_count if facts.lid else 0,
        system,
    )


def _sections(file: TextFile) -> dict[str, list[_Row]]:
    """Return the rows of the sections in _COLUMNS."""
    sections: dict[str, list[_Row]] = {}
    name, places = "", None
    for number, line in enumerate(file.lines, 1):
        title = _TITLE.fullmatch(line.strip())
        if title:
            if (title[1] == "START") == bool(name) or name not in ("", title[2]):
                raise file.error(number, "is not an expected section title: is a part missing?")
            name, places = (title[2], None) if title[1] == "START" else ("", None)
            if name in sections:
                raise file.error(number, f"section {name} is given twice")
            if name in _COLUMNS:
                sections[name] = []
        elif name in _COLUMNS and line.strip():
            words = _words(file, number, line)
            if places is None:
                places = _places(file, number, name, words)
            elif len(words) <= max(places):
                raise file.error(number, f"has {len(words)} values, but its section has more columns")
            else:
                sections[name].append(_Row(number, tuple(words[place] for place in places)))
    if name:
        raise RankwiseError(f"{file.path} is cut off: its section {name} has no end")
    for name in _COLUMNS:
        if name not in sections:
            raise RankwiseError(f"{file.path} has no section {name}: write a complete one with ibdiagnet")
    return sections


def _places(file: TextFile, line: int, section: str, heads: list[str]) -> list[int]:
    for column in _COLUMNS[section]:
        if column not in heads:
            raise file.error(line, f"section {section} has no column {column}")
    return [heads.index(column) for column in _COLUMNS[section]]


def _words(file: TextFile, line: int, text: str) -> list[str]:
    try:
        return next(csv.reader([text], strict=True))
    except csv.Error as error:
        raise file.error(line, "is not a row of comma-separated values") from error


def _whole(file: TextFile, line: int, word: str) -> int:
    if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", word):
        return int(word, 16)
    if re.fullmatch(r"[0-9]{1,19}", word):
        return int(word) & 0xFFFFFFFFFFFFFFFF
    if word == "N/A":
        return 0
    raise file.error(line, "has something other than a number in the place of one")
