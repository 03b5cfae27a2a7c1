"""Networks as ibsim, the simulator, reads them (.net): a paragraph for each device, known by its name.

GUIDs are assigned as by ibsim, in the order of the file, so that tables recorded on the simulator fit.
"""

from __future__ import annotations

import math
import re

from rankwise.network.sources.infiniband.rates import rate_of, width_of
from rankwise.network.sources.infiniband.values import check_port
from rankwise.network.sources.parts import HOST, ROUTER, SWITCH, Cable, Cables, End
from rankwise.network.sources.text import TextFile

_KINDS = {"Switch": SWITCH, "Hca": HOST, "Ca": HOST, "Rt": ROUTER}
_BASES = {"switchguid": SWITCH, "hcaguids": HOST, "caguid": HOST, "rtguid": ROUTER}
_HEAD = re.compile(rb'^(?:Switch|Hca|Ca|Rt)\s+\d+\s+"(?![SHR]-[0-9a-fA-F]{16}")[^"\n]+"', re.MULTILINE)
_DEVICE = re.compile(r'(Switch|Hca|Ca|Rt)\s+(\d{1,3})\s+"([^"#@]+)"\s*(?:#\s*"?([^"]*)"?.*)?')
_PORT = re.compile(r'\[(\d{1,3})\]\s*"([^"#@]+)"(?:\[(\d{1,3})\])?(.*)')
_BASE = re.compile(r"(switchguid|hcaguids|caguid|rtguid)\s*=\s*(0x[0-9a-fA-F]{1,16}|\d{1,19}).*")
_OPTION = re.compile(r"\b([ws])=(\d{1,2})")
_WIDTHS = {1: "1x", 2: "4x", 4: "8x", 8: "12x"}
_SPEEDS = {1: "SDR", 2: "DDR", 4: "QDR"}
_FIRST = {SWITCH: 0x200000, HOST: 0x100000, ROUTER: 0x300000}

Key = tuple[str, int]
"""Name of a device, number of the port."""


def is_ibsim(head: bytes) -> bool:
    """Return whether a file that begins with `head` is a network for ibsim."""
    return bool(_HEAD.search(head))


def read_ibsim(file: TextFile) -> Cables:
    """Return the cables, one entry per end that lists it; RankwiseError names a wrong line."""
    reader = _Reader(file)
    for number, line in enumerate(file.lines, 1):
        reader.read(number, line.strip())
    return Cables(file, reader.cables(), reader.counts)


class _Reader:
    def __init__(self, file: TextFile) -> None:
        self.counts: dict[int, int] = {}
        self._file = file
        self._next = dict(_FIRST)
        self._devices: dict[str, tuple[str, int, str]] = {}
        self._device = ""
        self._ports: dict[Key, tuple[int, Key, float, int]] = {}

    def read(self, number: int, line: str) -> None:
        base, device = _BASE.fullmatch(line), _DEVICE.fullmatch(line)
        if line.startswith(("[", "@")):
            self._port(number, line)
        elif base:
            self._next[_BASES[base[1]]] = int(base[2], 0)
        elif device:
            self._add(number, *device.groups())
        elif line.startswith(("include", "module", *_KINDS)):
            raise self._file.error(number, "is not a device; include and module are not supported")
        elif not line:
            self._device = ""

    def cables(self) -> list[Cable]:
        """Return the cables; RankwiseError if a cable leads to a missing device or port."""
        read = []
        for here, (line, there, rate, lanes) in self._ports.items():
            if there[0] not in self._devices:
                raise self._file.error(line, f"there is no device {there[0]!r}")
            read.append(Cable(line, self._end(line, here), self._end(line, there), rate, True, lanes))
        return read

    def _add(self, number: int, kind: str, count: str, name: str, description: str | None) -> None:
        if name in self._devices:
            raise self._file.error(number, f"{name!r} is given twice")
        kind, ports = _KINDS[kind], int(count)
        guid = self._next[kind]
        self._next[kind] += 1 if kind == SWITCH else ports + 1
        self._devices[name] = kind, guid, description or name
        self.counts[guid] = ports
        self._device = name

    def _port(self, number: int, line: str) -> None:
        match = _PORT.fullmatch(line)
        if not match or not self._device:
            raise self._file.error(number, "is not a port with its link, or is cut off")
        port, far, far_port, rest = match.groups()
        options = {option: int(value) for option, value in _OPTION.findall(rest)}
        rate, lanes = math.nan, 0
        if options:
            width = _WIDTHS.get(options.get("w", 2), "")
            rate, lanes = rate_of(width, _SPEEDS.get(options.get("s", 1), "")), width_of(width)
        self._ports[self._device, int(port)] = number, (far, int(far_port or 1)), rate, lanes

    def _end(self, line: int, key: Key) -> End:
        name, number = key
        kind, guid, description = self._devices[name]
        port = check_port(self._file, line, number)
        if port > self.counts[guid]:
            raise self._file.error(line, f"{name} has no port {port}: its last one is {self.counts[guid]}")
        return End(kind, guid, guid if kind == SWITCH else guid + port, port, description, 0, 0, guid)
