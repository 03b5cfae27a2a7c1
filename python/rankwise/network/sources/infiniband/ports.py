"""Links as `ibnetdiscover -p` prints them: a line for each port, and no node GUIDs.

LIDs and ports are decimal. The GUID of a switch is that of its port 0, usually also its node GUID.
That of an adapter's node is missing.
"""

from __future__ import annotations

import re

from rankwise.network.sources.infiniband.one_sided_cables import one_sided_cables
from rankwise.network.sources.infiniband.rates import rate_of, width_of
from rankwise.network.sources.infiniband.values import check_lid, check_port
from rankwise.network.sources.parts import SWITCH, Cable, Cables, End
from rankwise.network.sources.text import TextFile

_END = r"(CA|SW|RT) +(\d{1,9}) +(\d{1,4}) 0x([0-9a-fA-F]{16})"
_LINKED = re.compile(rf"{_END} (\S+) (\S+) - {_END} \( '(.*)' - '(.*)' \)\s*")
_ALONE = re.compile(rf"{_END} (\S+) (\S+) +'.*'\s*")
_HEAD = re.compile(rb"(?:CA|SW|RT) +\d+ +\d+ 0x[0-9a-fA-F]{16} ")


def is_ports(head: bytes) -> bool:
    """Return whether a file that begins with `head` is the output of `ibnetdiscover -p`."""
    return bool(_HEAD.match(head))


def read_ports(file: TextFile) -> Cables:
    """Return the cables, one entry per end that lists it; RankwiseError names a wrong line."""
    cables = []
    for number, line in enumerate(file.lines, 1):
        match = _LINKED.fullmatch(line)
        if match:
            fields = match.groups()
            first = _end(file, number, fields[:4], fields[10])
            other = _end(file, number, fields[6:10], fields[11])
            cables.append(
                Cable(number, first, other, rate_of(fields[4], fields[5]), True, width_of(fields[4]))
            )
        elif line.strip() and not line.startswith("#") and not _ALONE.fullmatch(line):
            raise file.error(number, "is not a port with its link, or is cut off")
    return Cables(file, cables, warnings=one_sided_cables(file, cables))


def _end(file: TextFile, line: int, fields: tuple[str, ...], description: str) -> End:
    kind, lid, number, guid = fields
    return End(
        kind,
        int(guid, 16) if kind == SWITCH else 0,
        int(guid, 16),
        check_port(file, line, int(number)),
        description,
        check_lid(file, line, int(lid)),
    )
