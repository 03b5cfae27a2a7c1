"""Links as `ibnetdiscover -p` prints them: a line for each port, and no node GUIDs.

LIDs and ports are decimal. The GUID of a switch is that of its port 0, which mostly is its node GUID, too.
That of an adapter's node is not told.
"""

from __future__ import annotations

import re

from rankwise.network.sources.infiniband.rates import rate_of
from rankwise.network.sources.infiniband.told_once import told_once
from rankwise.network.sources.infiniband.values import check_lid, check_port
from rankwise.network.sources.parts import SWITCH, Cable, Cables, End
from rankwise.network.sources.text import TextFile

_END = r"(CA|SW|RT) +(\d{1,9}) +(\d{1,4}) 0x([0-9a-fA-F]{16})"
_LINKED = re.compile(rf"{_END} (\S+) (\S+) - {_END} \( '(.*)' - '(.*)' \)\s*")
_ALONE = re.compile(rf"{_END} (\S+) (\S+) +'.*'\s*")
_HEAD = re.compile(rb"(?:CA|SW|RT) +\d+ +\d+ 0x[0-9a-fA-F]{16} ")


def is_ports(head: bytes) -> bool:
    """Return whether a file that begins with `head` is what `ibnetdiscover -p` printed."""
    return bool(_HEAD.match(head))


def read_ports(file: TextFile) -> Cables:
    """Return the cables, each as its two ends tell it; RankwiseError names a wrong line."""
    cables = []
    for number, line in enumerate(file.lines, 1):
        match = _LINKED.fullmatch(line)
        if match:
            told = match.groups()
            one = _end(file, number, told[:4], told[10])
            other = _end(file, number, told[6:10], told[11])
            cables.append(Cable(number, one, other, rate_of(told[4], told[5]), True))
        elif line.strip() and not line.startswith("#") and not _ALONE.fullmatch(line):
            raise file.error(number, "is not a port with its link, or is cut off")
    return Cables(file, cables, warnings=told_once(file, cables))


def _end(file: TextFile, line: int, told: tuple[str, ...], description: str) -> End:
    kind, lid, number, guid = told
    return End(
        kind,
        int(guid, 16) if kind == SWITCH else 0,
        int(guid, 16),
        check_port(file, line, int(number)),
        description,
        check_lid(file, line, int(lid)),
    )
