"""Links as ibdiagnet (ibdiagnet.lst, ibdiagnet2.lst) and OpenSM (opensm-subnet.lst) write them.

All numbers in these files are hexadecimal, also ports. ibdiagnet has each link once, OpenSM twice.
"""

from __future__ import annotations

import re

from rankwise.network.sources.infiniband.one_sided_cables import one_sided_cables
from rankwise.network.sources.infiniband.rates import rate_of, width_of
from rankwise.network.sources.infiniband.values import check_lid, check_port
from rankwise.network.sources.parts import Cable, Cables, End
from rankwise.network.sources.text import TextFile

_END = (
    r"\{ (CA|SW|RT)(?:-SM)? Ports:([0-9a-fA-F]{1,8}) SystemGUID:([0-9a-fA-F]{1,16})"
    r" NodeGUID:([0-9a-fA-F]{1,16}) PortGUID:([0-9a-fA-F]{1,16})"
    r" VenID:[0-9a-fA-F]+ DevID:[0-9a-fA-F]+ Rev:[0-9a-fA-F]+ \{(.*?)\}"
    r" LID:([0-9a-fA-F]{1,8}) PN:([0-9a-fA-F]{1,8}) \}"
)
_LINE = re.compile(rf"{_END} {_END} PHY=(\S+) LOG=(\S+)(?: SPD=(\S+))?((?: \w+=\S+)*)\s*")
_HEAD = re.compile(rb"(?:[ \t\r]*(?:#[^\n]*)?\n)*\{ (?:CA|SW|RT)(?:-SM)? Ports:[0-9a-fA-F]+ SystemGUID:")
_BY_OPENSM = re.compile(rb"\A\{ \S+ Ports:\S+ SystemGUID:\S+ NodeGUID:\S+ PortGUID:\S+ VenID:[0-9a-fA-F]{6} ")


def is_ibdiagnet_lst(head: bytes) -> bool:
    """Return whether a file that begins with `head` has links as ibdiagnet writes them."""
    return bool(_HEAD.match(head)) and not is_opensm_lst(head)


def is_opensm_lst(head: bytes) -> bool:
    """Return whether it is OpenSM that wrote them: its first VenID has six digits, ibdiagnet's have eight."""
    return bool(_BY_OPENSM.match(head))


def read_lst(file: TextFile) -> Cables:
    """Return the cables; RankwiseError names the line that is none."""
    cables = []
    counts: dict[int, int] = {}
    for number, line in enumerate(file.lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if not match:
            raise file.error(number, "is not a link, or only a part of one: is the file cut off?")
        fields = match.groups()
        first, second = _end(file, number, fields[:8]), _end(file, number, fields[8:16])
        width, state, speed = fields[16], fields[17], fields[18] or ""
        counts |= {end.node: int(count, 16) for end, count in ((first, fields[1]), (second, fields[9]))}
        cables.append(Cable(number, first, second, rate_of(width, speed), state == "ACT", width_of(width)))
    return Cables(file, cables, counts, one_sided_cables(file, cables) if is_opensm_lst(file.data) else ())


def _end(file: TextFile, line: int, fields: tuple[str, ...]) -> End:
    kind, _, system, node, guid, description, lid, number = fields
    return End(
        kind,
        int(node, 16),
        int(guid, 16),
        check_port(file, line, int(number, 16)),
        description,
        check_lid(file, line, int(lid, 16)),
        system=int(system, 16),
    )
