"""Nodes, ports, links and forwarding tables of a snapshot of opareport, read as a stream.

Its format is that of opareport 10.10 (`Topology/snapshot.c` of https://github.com/cornelisnetworks/opa-ff): a
node has its ports and, if it is a switch, its linear forwarding table in it; links name the two ends. Numbers
that end in _Int are in wire format.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.network.sources.infiniband.values import check_lid, check_port
from rankwise.network.sources.parts import HOST, SWITCH, Cable, End, Table
from rankwise.network.sources.text import TextFile
from rankwise.topology.sources.safe_xml import walked

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]{1,16}|\d{1,20}")
_ADAPTER, _SWITCH = 1, 2  # NodeType_Int
_ACTIVE = 4  # PortState_Int
_LANES = {1: 1, 2: 2, 4: 3, 8: 4}
_GBIT_OF_LANE = {1: 12.5, 2: 25.0}  # of data: 64 of 66 bits, as with EDR
_BYTES_OF_GBIT = 1e9 / 8
_MOST_LMC = 7

Record = dict[str, tuple[str, int]]
"""Text and line of each tag."""
Key = tuple[int, int]


@dataclass
class _Port:
    line: int
    guid: int
    lid: int
    lid_count: int
    active: bool
    rate: float
    lanes: int


@dataclass
class _Node:
    line: int
    description: str
    is_switch: bool
    system: int
    ports: dict[int, _Port]


@dataclass
class Snapshot:
    """All of a snapshot that matters here.

    Attributes:
        cables: between nodes.
        tables: of switches, by their GUIDs.
    """

    cables: list[Cable] = field(default_factory=list)
    tables: dict[int, Table] = field(default_factory=dict)


def snapshot_of(file: TextFile) -> Snapshot:
    """Read a file; RankwiseError names the line that is wrong."""
    walker = _Walker(file)
    try:
        walked(file.data, walker.start, walker.end)
    except RankwiseError as error:
        message = str(error)
        raise RankwiseError(message if message.startswith(file.path) else f"{file.path} {message}") from error
    return walker.finished()


class _Walker:
    """Keeps the text between the tags of the current record."""

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._path: list[str] = []
        self._node: Record = {}
        self._port: Record = {}
        self._link: Record = {}
        self._ports: dict[int, _Port] = {}
        self._table: list[tuple[int, int]] = []
        self._table_line = 0
        self._lid = ""
        self._nodes: dict[int, _Node] = {}
        self._links: list[tuple[int, Key, Key]] = []
        self._found = Snapshot()

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self._path.append(tag)
        if tag == "Node":
            self._node, self._ports, self._table = {}, {}, []
        elif tag == "PortInfo":
            self._port = {}
        elif tag == "Link":
            self._link = {}
        elif tag == "LinearFDB":
            self._table_line = line
        elif tag == "Value":
            self._lid = attributes.get("LID", "")

    def end(self, tag: str, text: str, line: int) -> None:
        self._path.pop()
        around = self._path[-1] if self._path else ""
        if tag == "Value" and around == "LinearFDB":
            lid = check_lid(self._file, line, self._number("LID", self._lid, line))
            port = self._number("Value", text, line)
            self._table.append((lid, check_port(self._file, line, port, least=0)))
        elif tag == "PortInfo":
            self._add_port(line)
        elif tag == "Node":
            self._add_node(line)
        elif tag == "Link":
            self._links.append((line, self._end_of("From", line), self._end_of("To", line)))
        elif around == "Node":
            self._node[tag] = text, line
        elif around == "PortInfo":
            self._port[tag] = text, line
        elif around in ("From", "To"):
            self._link[f"{around} {tag}"] = text, line

    def finished(self) -> Snapshot:
        """Return the snapshot; RankwiseError if a link leads to a missing port."""
        for line, first, second in self._links:
            ends = [self._cable_end(key, line) for key in (first, second)]
            ports = [self._nodes[key[0]].ports[key[1]] for key in (first, second)]
            slower = min(ports, key=lambda port: (math.isnan(port.rate), port.rate))
            active = all(port.active for port in ports)
            self._found.cables.append(Cable(line, ends[0], ends[1], slower.rate, active, slower.lanes))
        return self._found

    def _add_port(self, line: int) -> None:
        number = self._number_of(self._port, "PortNum", line)
        lmc = self._number_of(self._port, "LMC", line, 0)
        if lmc > _MOST_LMC:
            raise self._file.error(line, f"LMC {lmc} is above {_MOST_LMC}")
        if number in self._ports:
            raise self._file.error(line, f"port {number} is given twice in its node")
        lanes = self._number_of(self._port, "LinkWidthDowngradeTxActive_Int", line, 0)
        lanes = lanes or self._number_of(self._port, "LinkWidthActive_Int", line, 0)
        speed = self._number_of(self._port, "LinkSpeedActive_Int", line, 0)
        rate = _LANES.get(lanes, math.nan) * _GBIT_OF_LANE.get(speed, math.nan) * _BYTES_OF_GBIT
        self._ports[number] = _Port(
            line,
            self._number_of(self._port, "GUID", line, 0),
            check_lid(self._file, line, self._number_of(self._port, "EndPortLID", line, 0)),
            1 << lmc,
            self._number_of(self._port, "PortState_Int", line, _ACTIVE) == _ACTIVE,
            rate,
            _LANES.get(lanes, 0),
        )

    def _add_node(self, line: int) -> None:
        guid = self._number_of(self._node, "NodeGUID", line)
        kind = self._number_of(self._node, "NodeType_Int", line)
        if kind not in (_ADAPTER, _SWITCH):
            raise self._file.error(line, f"a node of type {kind} is neither an adapter (1) nor a switch (2)")
        if guid in self._nodes:
            raise self._file.error(
                line, f"the node 0x{guid:016x} is given twice: line {self._nodes[guid].line}"
            )
        system = self._number_of(self._node, "SystemImageGUID", line, 0)
        is_switch = kind == _SWITCH
        self._nodes[guid] = _Node(
            line, self._node.get("NodeDesc", ("", 0))[0], is_switch, system, self._ports
        )
        if is_switch and self._table:
            lids, ports = np.array(self._table, np.int64).T
            self._found.tables[guid] = Table(self._table_line, lids, ports)

    def _end_of(self, side: str, line: int) -> Key:
        return (
            self._number_of(self._link, f"{side} NodeGUID", line),
            self._number_of(self._link, f"{side} PortNum", line),
        )

    def _cable_end(self, key: Key, line: int) -> End:
        guid, number = key
        node = self._nodes.get(guid)
        if node is None or number not in node.ports:
            raise self._file.error(
                line, f"the link leads to port {number} of 0x{guid:016x}, which does not exist"
            )
        check_port(self._file, line, number)
        port, kind = node.ports[number], SWITCH if node.is_switch else HOST
        if node.is_switch:  # it has its LID, for all its ports, at port 0
            own = node.ports.get(0)
            lid = own.lid if own else 0
            return End(kind, guid, guid, number, node.description, lid, 1 if lid else 0, node.system)
        return End(kind, guid, port.guid, number, node.description, port.lid, port.lid_count, node.system)

    def _number_of(self, record: Record, tag: str, line: int, default: int | None = None) -> int:
        if tag not in record and default is not None:
            return default
        text, line = record.get(tag, ("", line))
        return self._number(tag.split()[-1], text, line)

    def _number(self, tag: str, text: str, line: int) -> int:
        if not _NUMBER.fullmatch(text):
            wrong = f"must be a number, not {text[:20]!r}" if text else "is missing"
            raise self._file.error(line, f"{tag} {wrong}")
        return int(text, 16) if text[:2] in ("0x", "0X") else int(text)
