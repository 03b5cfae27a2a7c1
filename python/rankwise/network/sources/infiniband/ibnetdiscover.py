"""Links as `ibnetdiscover` writes them: a paragraph for each device. LIDs and ports are decimal.

With -p it prints a line for each port instead: ports.py.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from rankwise.network.sources.infiniband.ibsim import is_ibsim
from rankwise.network.sources.infiniband.listing import Listing, Port, rate_and_lanes
from rankwise.network.sources.infiniband.one_sided_cables import one_sided_cables
from rankwise.network.sources.infiniband.values import check_lid, check_port
from rankwise.network.sources.parts import Cables
from rankwise.network.sources.text import TextFile

_NODE = r'"[SHR]-([0-9a-fA-F]{16})"'
_LETTERS = {"Switch": "S", "Ca": "H", "Rt": "R"}
_FACT = re.compile(r"(\w+)=0x([0-9a-fA-F]{1,16})(?:\(([0-9a-fA-F]{1,16})\))?\s*(?:#.*)?")
_DEVICE = re.compile(
    rf'(Switch|Ca|Rt)\s+(\d{{1,9}}) {_NODE}\s+# (?:"(.*)"|([^"].*?))'
    r"(?: (?:(?:base|enhanced) )?port 0 lid (\d{1,9}) lmc ([0-7]))?(?: \(scp\))?\s*"
)
_FAR = r'"([SHR])-([0-9a-fA-F]{16})"\[(\d{1,4})\](?:\[ext \d+\])?(?:\(([0-9a-fA-F]{1,16})\))?'
_RATE = r"(\S+)(?: [sw]=.*)?(?: slot \d+| \(scp\))?"
_PORT = re.compile(
    rf"\[(\d{{1,4}})\](?:\[ext \d+\])?(?:\(([0-9a-fA-F]{{1,16}})\))?\s*{_FAR}"
    rf'\s+#\s+(?:lid (\d{{1,9}}) lmc ([0-7]) )?"(.*)" lid (\d{{1,9}}) {_RATE}\s*'
)
_OLD_PORT = re.compile(
    rf"\[(\d{{1,4}})\](?:\(([0-9a-fA-F]{{1,16}})\))?\s*{_FAR}"
    r'\s+#\s*(?:lid (\d{1,9}) lmc ([0-7])\s*)?(?:"(.*)"|([^"]*?))(?: lid (\d{1,9}))?\s*'
)
"""Of versions before 2010: no rates, and the less of the rest the older."""
_REMARK = re.compile(r"#.*|Chassis .*|Non-Chassis Nodes|Hostname: .*|")  # the words are of -g
_HEAD = re.compile(rb"^(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=0x[0-9a-fA-F]+", re.MULTILINE)


def is_ibnetdiscover(head: bytes) -> bool:
    """Return whether a file that begins with `head` has links in this format."""
    return bool(_HEAD.search(head[:4096])) and not is_ibsim(head)


def read_ibnetdiscover(file: TextFile) -> Cables:
    """Return the cables, one entry per end that lists it; RankwiseError names a wrong line.

    Paragraphs in the usual form are read in bulk, others line by line.
    """
    text = file.checked
    listing = Listing(text)
    reader = _Reader(file, listing)
    place, line = 0, 1
    while place < len(text):
        if not reader.is_old:
            place, line = listing.read(place, line)
        while place < len(text):
            end = text.find(b"\n", place)
            end = len(text) if end < 0 else end
            content = text[place:end].decode("utf-8", "replace").strip()
            reader.read(line, content)
            place, line = end + 1, line + 1
            if not content:
                break
    cables = listing.cables()
    warnings = () if cables.wired else one_sided_cables(file, cables)
    return Cables(file, cables, listing.port_counts(), warnings, cables.own_guids())


@dataclass
class _Device:
    kind: str
    node: int
    port_count: int
    description: str
    lid: int
    lmc: int
    system: int


class _Reader:
    """Reads lines of devices and ports, of any form that is known.

    Attributes:
        is_old: whether ports are listed as before 2010.
    """

    def __init__(self, file: TextFile, listing: Listing) -> None:
        self.is_old = False
        self._file = file
        self._listing = listing
        self._device: _Device | None = None
        self._facts: dict[str, int] = {}

    def read(self, number: int, line: str) -> None:
        """Read a line without blanks around it; RankwiseError: it is wrong."""
        if line.startswith("["):
            self._port(number, line)
            return
        fact = _FACT.fullmatch(line)
        device = _DEVICE.fullmatch(line)
        if fact:
            self._facts[fact[1]] = int(fact[2], 16)
            if fact[3]:
                self._facts["port"] = int(fact[3], 16)
        elif device:
            kind, count, node, quoted, bare, lid, lmc = device.groups()
            description = bare if quoted is None else quoted
            own_lid = check_lid(self._file, number, int(lid or 0))
            self._device = _Device(
                _LETTERS[kind], int(node, 16), int(count), description, own_lid, int(lmc or 0), 0
            )
            self._list_device(self._device)
        elif line == "":
            self._device = None
            self._facts = {}
        elif not _REMARK.fullmatch(line):
            raise self._file.error(number, "is neither a device nor a port, or is cut off")

    def _list_device(self, device: _Device) -> None:
        device.system = self._facts.get("sysimgguid", 0)
        self._listing.add_device(
            ord(device.kind), device.node, device.system, device.port_count, device.description
        )

    def _port(self, number: int, line: str) -> None:
        match = None if self.is_old else _PORT.fullmatch(line)
        old = None if match or (len(self._listing) and not self.is_old) else _OLD_PORT.fullmatch(line)
        if not match and not old:
            raise self._file.error(number, "is not a port with its link, or is cut off")
        device = self._device
        if device is None:
            raise self._file.error(number, "is a port, but there is no device above it")
        self.is_old = match is None
        rate = math.nan, 0
        if match:
            *fields, description, far_lid, word = match.groups()
            rate = rate_and_lanes(word)
        else:
            assert old
            *fields, quoted, bare, far_lid = old.groups()
            description = quoted or bare or ""
        port, guid, far, node, far_port, far_guid, lid, lmc = fields
        file = self._file
        if device.kind == "S":
            own_guid, own_lid, own_lmc = self._facts.get("port", device.node), device.lid, device.lmc
        elif not self.is_old and (guid is None or lid is None):
            raise file.error(number, "its own GUID and LID are missing")
        else:
            own_guid, own_lid, own_lmc = int(guid or "0", 16), int(lid or 0), int(lmc or 0)
        if device.system != self._facts.get("sysimgguid", 0):
            self._list_device(device)
        here = Port(
            ord(device.kind),
            device.node,
            check_port(file, number, int(port)),
            own_guid,
            device.description,
            check_lid(file, number, own_lid),
        )
        there = Port(
            ord(far),
            int(node, 16),
            check_port(file, number, int(far_port)),
            int(far_guid or (node if far == "S" else "0"), 16),
            description,
            check_lid(file, number, int(far_lid or 0)),
        )
        self._listing.add_port(number, here, there, 1 << own_lmc if own_lid else 0, rate)
