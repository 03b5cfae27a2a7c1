"""LIDs of ports as OpenSM keeps them (guid2lid), and ibdiagnet's substitute GUIDs (ibdiagnet.masks)."""

from __future__ import annotations

import re

from rankwise.network.sources.infiniband.values import check_lid
from rankwise.network.sources.parts import Lids, Masks
from rankwise.network.sources.text import TextFile

_LIDS = re.compile(r"0x([0-9a-fA-F]{16}) 0x([0-9a-fA-F]{4}) 0x([0-9a-fA-F]{4})\s*")
_LIDS_HEAD = re.compile(rb"\s*0x[0-9a-fA-F]{16} 0x[0-9a-fA-F]{4} 0x[0-9a-fA-F]{4}\s")
_MASK = re.compile(r"(?:Node|Port|System)Guid,0x([0-9a-fA-F]{16})\s+0x([0-9a-fA-F]{16})\s*")
_MASK_HEAD = re.compile(rb"(?:Node|Port|System)Guid,0x[0-9a-fA-F]{16}\s")


def is_guid2lid(head: bytes) -> bool:
    """Return whether this begins a file of OpenSM's, in its cache, with the LIDs that it gave."""
    return bool(_LIDS_HEAD.match(head))


def read_guid2lid(file: TextFile) -> Lids:
    """Return LIDs by port; RankwiseError names a wrong line."""
    lids: dict[int, tuple[int, int, int]] = {}
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            continue
        match = _LIDS.fullmatch(line)
        if not match:
            raise file.error(number, "is not a GUID with its lowest and highest LID")
        guid, low, high = (int(word, 16) for word in match.groups())
        count = check_lid(file, number, high) - low + 1
        if low == 0 or count < 1 or count & (count - 1) or count > 128:
            raise file.error(number, "its LIDs are no range of 1, 2, 4 ... 128")
        lids[guid] = number, low, count
    return Lids(file, lids)


def is_masks(head: bytes) -> bool:
    """Return whether a file that begins with `head` is ibdiagnet's table of substitute GUIDs."""
    return bool(_MASK_HEAD.match(head))


def read_masks(file: TextFile) -> Masks:
    """Return real GUIDs; RankwiseError names a wrong line."""
    real = {}
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            continue
        match = _MASK.fullmatch(line)
        if not match:
            raise file.error(number, "is not a GUID with its real GUID")
        real[int(match[1], 16)] = int(match[2], 16)
    return Masks(file, real)
