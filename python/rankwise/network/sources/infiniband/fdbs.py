"""Forwarding tables as ibdiagnet (ibdiagnet.fdbs, ibdiagnet2.fdbs) and OpenSM (opensm.fdbs) write them.

LIDs are hexadecimal, ports decimal. A switch has several tables (PLFT_NUM) where the service level of a
message chooses one.
"""

from __future__ import annotations

import re

from rankwise.network.sources.infiniband.rows import NOWHERE, Section, read_rows, tables_of
from rankwise.network.sources.parts import Tables
from rankwise.network.sources.text import TextFile

_SWITCH = re.compile(rb"(?:osm_ucast_mgr_)?dump_ucast_routes: Switch (?:0x)?([0-9a-fA-F]{1,16})\b.*")
_TABLE = re.compile(rb"PLFT_NUM: *(\d{1,3})")
_ROW = re.compile(rb"0x([0-9a-fA-F]{1,8})\s*:\s*(?:(\d{1,3})(\s*:\s*\d+\s*:.*\S)?|(UNREACHABLE))")
_TITLE = re.compile(rb"LID\s*:\s*Port\b.*")
_HEAD_LINES = 2
_HEAD = re.compile(rb"(?:[ \t\r]*(?:#[^\n]*)?\n)*(osm_ucast_mgr_)?dump_ucast_routes: Switch ")


def is_ibdiagnet_fdbs(head: bytes) -> bool:
    """Return whether a file that begins with `head` has tables as ibdiagnet writes them."""
    match = _HEAD.match(head)
    return match is not None and bool(match[1])


def is_opensm_fdbs(head: bytes) -> bool:
    """Return whether it has tables as OpenSM writes them: a shorter word is in front of each switch."""
    match = _HEAD.match(head)
    return match is not None and not match[1]


def read_fdbs(file: TextFile) -> Tables:
    """Return the tables; of a switch with several that with number 0. RankwiseError names a wrong line."""
    sections: list[Section] = []
    left_out = set()

    def other(number: int, line: bytes, is_cut: bool) -> tuple[int, int] | None:
        text = line.strip()
        row = _ROW.fullmatch(text)
        if row:
            lid, port, rest, unreachable = row.groups()
            if not unreachable and not rest and is_cut:
                raise file.error(number, "is only a part of a row: is the file cut off?")
            return int(lid, 16), int(port) if port else NOWHERE
        switch = _SWITCH.fullmatch(text)
        if switch:
            sections.append(Section(number, int(switch[1], 16)))
            return None
        table = _TABLE.fullmatch(text)
        if table and sections:
            if table[1] != b"0":
                guid = sections[-1].guid
                left_out.add(guid)
                if number - sections[-1].line <= _HEAD_LINES:
                    sections.pop()  # each table has its own head
                sections.append(Section(number, guid, wanted=False))
            return None
        if text and not text.startswith(b"#") and not _TITLE.fullmatch(text):
            raise file.error(number, "is not a row of a forwarding table, or only a part of one")
        return None

    rows = read_rows(file, b" : ", other)
    warnings: tuple[str, ...] = ()
    if left_out:
        warnings = (
            f"{file.path}: switches with several forwarding tables: {len(left_out)}; the first is used, but "
            "the service level of a message may select another",
        )
    return Tables(file, tables_of(file, rows, sections), warnings)
