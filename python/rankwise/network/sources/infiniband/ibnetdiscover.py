"""Links as `ibnetdiscover` writes them: a paragraph for each device. LIDs and ports are decimal.

With -p it prints a line for each port instead: ports.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.sources.infiniband.ibsim import is_ibsim
from rankwise.network.sources.infiniband.listed import Devices, FarEnds, ListedCables, NearEnds
from rankwise.network.sources.infiniband.one_sided_cables import one_sided_cables
from rankwise.network.sources.infiniband.rates import rate_of, width_of
from rankwise.network.sources.infiniband.values import MOST_LID, MOST_PORT, check_lid, check_port
from rankwise.network.sources.parts import HOST, ROUTER, SWITCH, Cable, Cables, End
from rankwise.network.sources.text import MOST_IN_LINE, TextFile

_NODE = r'"[SHR]-([0-9a-fA-F]{16})"'
_KINDS = {"Switch": SWITCH, "Ca": HOST, "Rt": ROUTER, "S": SWITCH, "H": HOST, "R": ROUTER}
_FACT = re.compile(r"(\w+)=0x([0-9a-fA-F]{1,16})(?:\(([0-9a-fA-F]{1,16})\))?\s*(?:#.*)?")
_DEVICE = re.compile(
    rf'(Switch|Ca|Rt)\s+(\d{{1,9}}) {_NODE}\s+# (?:"(.*)"|([^"].*?))'
    r"(?: (?:(?:base|enhanced) )?port 0 lid (\d{1,9}) lmc ([0-7]))?(?: \(scp\))?\s*"
)
_FAR = r'"([SHR])-([0-9a-fA-F]{16})"\[(\d{1,4})\](?:\[ext \d+\])?(?:\(([0-9a-fA-F]{1,16})\))?'
_RATE = r"(\w+x)?(\S+)(?: [sw]=.*)?(?: slot \d+| \(scp\))?"
_PORT = re.compile(
    rf"\[(\d{{1,4}})\](?:\[ext \d+\])?(?:\(([0-9a-fA-F]{{1,16}})\))?\s*{_FAR}"
    rf'\s+#\s+(?:lid (\d{{1,9}}) lmc ([0-7]) )?"(.*)" lid (\d{{1,9}}) {_RATE}\s*'
)
_OLD_PORT = re.compile(
    rf"\[(\d{{1,4}})\](?:\(([0-9a-fA-F]{{1,16}})\))?\s*{_FAR}"
    r'\s+#\s*(?:lid (\d{1,9}) lmc ([0-7])\s*)?(?:"(.*)"|([^"]*?))(?: lid (\d{1,9}))?\s*'
)
"""Of versions before 2010: no rates, and the less of the rest the older."""
_PORTS = re.compile("^" + _PORT.pattern.replace(r"\s", r"[ \t]") + "$", re.MULTILINE)
_ADAPTER = re.compile(
    r"(?:(?:vendid|devid)=0x[0-9a-fA-F]{1,16}\n)*sysimgguid=0x([0-9a-fA-F]{1,16})\n"
    rf'caguid=0x[0-9a-fA-F]{{1,16}}\nCa[ \t]+(\d{{1,9}}) {_NODE}[ \t]+# "(.*)"[ \t]*\n(\[(?:.*\n)*.*)'
)
"""A paragraph that most adapters have."""
_REMARK = re.compile(r"#.*|Chassis .*|Non-Chassis Nodes|Hostname: .*|")  # the words are of -g
_HEAD = re.compile(rb"^(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=0x[0-9a-fA-F]+", re.MULTILINE)


def is_ibnetdiscover(head: bytes) -> bool:
    """Return whether a file that begins with `head` has links in this format."""
    return bool(_HEAD.search(head[:4096])) and not is_ibsim(head)


def read_ibnetdiscover(file: TextFile) -> Cables:
    """Return the cables, one entry per end that lists it; RankwiseError names a wrong line."""
    listed = _read_at_once(file)
    if listed is not None:
        return listed
    reader = _Reader(file)
    for number, line in enumerate(file.lines, 1):
        reader.read(number, line.strip())
    return Cables(file, reader.cables, reader.counts, one_sided_cables(file, reader.cables))


def _read_at_once(file: TextFile) -> Cables | None:
    """Return the same of a file without a fault; None: it may have one, or is of another shape.

    Paragraphs of adapters, and the ports of a switch, are matched as a whole.
    """
    text = file.text.removesuffix("\n")
    if "\r" in text:
        return None
    reader, columns, line = _Reader(file), _Columns(), 1
    for paragraph in text.split("\n\n"):
        if len(paragraph) > MOST_IN_LINE and max(map(len, paragraph.split("\n"))) > MOST_IN_LINE:
            return None
        adapter = _ADAPTER.fullmatch(paragraph)
        if adapter:
            system, count, node, description, ports = adapter.groups()
            device = _Device(HOST, int(node, 16), description, 0, 0)
            reader.counts[device.node] = int(count)
            is_read = columns.add(device, 0, int(system, 16), ports, line + paragraph.count("\n"))
        else:
            is_read = _add_paragraph(reader, columns, paragraph, line)
        if not is_read:
            return None
        line += paragraph.count("\n") + 2
    cables = columns.cables()
    if cables is None or cables.wired is None:
        return None
    return Cables(file, cables, reader.counts, (), cables.own_guids())


def _add_paragraph(reader: _Reader, columns: _Columns, paragraph: str, line: int) -> bool:
    """Add the ports of a paragraph that begins with a line, and return whether it is entirely as usual."""
    head, bracket, ports = f"\n{paragraph}".partition("\n[")
    try:
        for number, text in enumerate(head.split("\n"), line - 1):
            reader.read(number, text.strip())
    except RankwiseError:  # a later look names the first wrong line
        return False
    if not bracket:
        return True
    device = reader.device
    if device is None or device.kind != SWITCH:
        return False
    guid = reader.facts.get("port", device.node)
    last = line + paragraph.count("\n")
    return columns.add(device, guid, reader.facts.get("sysimgguid", 0), bracket[1:] + ports, last)


class _Columns:
    """Ports with their links, until they become columns."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, ...]] = []
        self.devices: list[tuple[bool, int, int, int]] = []
        self._own: list[tuple[int, int, int]] = []
        self._many: list[int] = []
        self._last: list[int] = []
        self._descriptions: dict[str, int] = {}

    def add(self, device: _Device, guid: int, system: int, ports: str, last: int) -> bool:
        """Add the ports of a device, and return whether all are as usual.

        Args:
            device: a switch, or an adapter, whose lines have its LID and GUID.
            guid: of its port 0.
            system: GUID.
            ports: a line each.
            last: number of the last line.
        """
        rows = _PORTS.findall(ports)
        if len(rows) != ports.count("\n") + 1:
            return False
        self._rows += rows
        text = self._descriptions.setdefault(device.description, len(self._descriptions))
        self.devices.append((device.kind == SWITCH, device.node, system, text))
        self._own.append((guid, device.lid, 1 << device.lmc if device.lid else 0))
        self._many.append(len(rows))
        self._last.append(last)
        return True

    def cables(self) -> ListedCables | None:
        """Return all; None: a value is out of range or missing."""
        if not self._rows:
            return None
        count = len(self._rows)
        port, guid, far, node, far_port, far_guid, lid, lmc, text, far_lid, width, speed = zip(
            *self._rows, strict=True
        )
        index = self._descriptions
        texts = np.fromiter((index.setdefault(each, len(index)) for each in text), np.int64, count)
        is_switch, nodes, systems, own_texts = zip(*self.devices, strict=True)
        devices = Devices(
            np.array(is_switch),
            np.array(nodes, np.uint64),
            np.array(systems, np.uint64),
            np.array(own_texts, np.int64),
        )
        device = np.repeat(np.arange(len(self._many)), self._many)
        own_guid, own_lid, own_count = (
            np.repeat(np.array(each, np.uint64), self._many) for each in zip(*self._own, strict=True)
        )
        of_switch = devices.is_switch[device]
        lids = np.where(of_switch, own_lid.astype(np.int64), _numbers(lid))
        near = NearEnds(
            device,
            _numbers(port),
            np.where(of_switch, own_guid, _guids(guid)),
            lids,
            np.where(of_switch, own_count.astype(np.int64), (lids > 0) << _numbers(lmc)),
        )
        far_node = np.frombuffer(bytes.fromhex("".join(node)), ">u8").astype(np.uint64)
        far_is_switch = np.fromiter((each == "S" for each in far), np.bool_, count)
        given = _guids(far_guid)
        far_ends = FarEnds(
            far_is_switch,
            far_node,
            _numbers(far_port),
            np.where((given == 0) & far_is_switch, far_node, given),
            texts,
            _numbers(far_lid),
        )
        if "R" in far or not _are_in_range(near, far_ends):
            return None
        speeds = {each: rate_of(*each) for each in {*zip(width, speed, strict=True)}}
        lanes = {each: width_of(each) for each in {*width}}
        rates = np.fromiter((speeds[each] for each in zip(width, speed, strict=True)), np.float64, count)
        widths = np.fromiter((lanes[each] for each in width), np.int64, count)
        behind = np.cumsum(self._many)[device] - np.arange(count)
        lines = np.array(self._last)[device] + 1 - behind
        return ListedCables([*index], devices, near, far_ends, lines, rates, widths)


def _numbers(words: Sequence[str]) -> NDArray[np.int64]:
    return np.fromiter((int(word or "0") for word in words), np.int64, len(words))


def _guids(words: Sequence[str]) -> NDArray[np.uint64]:
    return np.fromiter((int(word or "0", 16) for word in words), np.uint64, len(words))


def _are_in_range(near: NearEnds, far: FarEnds) -> bool:
    return all(
        bool((ends.number > 0).all() and (ends.number <= MOST_PORT).all() and (ends.lid <= MOST_LID).all())
        for ends in (near, far)
    )


@dataclass
class _Device:
    kind: str
    node: int
    description: str
    lid: int
    lmc: int


class _Reader:
    def __init__(self, file: TextFile) -> None:
        self.cables: list[Cable] = []
        self.counts: dict[int, int] = {}
        self._file = file
        self._is_old = False
        self.device: _Device | None = None
        self.facts: dict[str, int] = {}

    def read(self, number: int, line: str) -> None:
        if line.startswith("["):
            self._port(number, line)
            return
        fact = _FACT.fullmatch(line)
        device = _DEVICE.fullmatch(line)
        if fact:
            self.facts[fact[1]] = int(fact[2], 16)
            if fact[3]:
                self.facts["port"] = int(fact[3], 16)
        elif device:
            kind, count, node, quoted, bare, lid, lmc = device.groups()
            description = bare if quoted is None else quoted
            self.device = _Device(_KINDS[kind], int(node, 16), description, int(lid or 0), int(lmc or 0))
            check_lid(self._file, number, self.device.lid)
            self.counts[self.device.node] = int(count)
        elif line == "":
            self.device = None
            self.facts = {}
        elif not _REMARK.fullmatch(line):
            raise self._file.error(number, "is neither a device nor a port, or is cut off")

    def _port(self, number: int, line: str) -> None:
        match = None if self._is_old else _PORT.fullmatch(line)
        old = None if match or (self.cables and not self._is_old) else _OLD_PORT.fullmatch(line)
        if not match and not old:
            raise self._file.error(number, "is not a port with its link, or is cut off")
        device = self.device
        if device is None:
            raise self._file.error(number, "is a port, but there is no device above it")
        self._is_old = match is None
        rate, lanes = math.nan, 0
        if match:
            *fields, description, far_lid, width, speed = match.groups()
            rate, lanes = rate_of(width or "", speed), width_of(width or "")
        else:
            assert old
            *fields, quoted, bare, far_lid = old.groups()
            description = quoted or bare or ""
        port, guid, far, node, far_port, far_guid, lid, lmc = fields
        file = self._file
        if device.kind == SWITCH:
            own_guid, own_lid, own_lmc = self.facts.get("port", device.node), device.lid, device.lmc
        elif not self._is_old and (guid is None or lid is None):
            raise file.error(number, "its own GUID and LID are missing")
        else:
            own_guid, own_lid, own_lmc = int(guid or "0", 16), int(lid or 0), int(lmc or 0)
        here = End(
            device.kind,
            device.node,
            own_guid,
            check_port(file, number, int(port)),
            device.description,
            check_lid(file, number, own_lid),
            1 << own_lmc if own_lid else 0,
            self.facts.get("sysimgguid", 0),
        )
        there = End(
            _KINDS[far],
            int(node, 16),
            int(far_guid or (node if far == "S" else "0"), 16),
            check_port(file, number, int(far_port)),
            description,
            check_lid(file, number, int(far_lid or 0)),
        )
        self.cables.append(Cable(number, here, there, rate, True, lanes))
