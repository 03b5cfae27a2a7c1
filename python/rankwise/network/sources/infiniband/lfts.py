"""Forwarding tables as dump_lfts, dump_fts and ibroute print them, and OpenSM writes them (opensm-lfts.dump).

LIDs are hexadecimal, ports decimal. A LID without a way is left out.
"""

from __future__ import annotations

import re
from bisect import bisect

import numpy as np

from rankwise.network.sources.infiniband.rows import Section, read_rows, tables_of
from rankwise.network.sources.parts import Tables
from rankwise.network.sources.text import TextFile

_SWITCH = re.compile(rb"Unicast lids \[\w+-\w+\] of switch .*\bguid 0x([0-9a-fA-F]{1,16}) \(.*\):")
_ROW = re.compile(rb"0x([0-9a-fA-F]{1,8})\s+(\d{1,3})(?:\s+[:#].*)?")
_COUNT = re.compile(rb"(\d{1,9}) valid lids dumped")
_REMARK = re.compile(rb"Lid\s+Out\s+Destination|Port\s+Info|\d+ lids dumped|\*+ WARNING.*|#.*|")
_HEAD = re.compile(rb"^Unicast lids \[", re.MULTILINE)
_FIRST = re.compile(rb"^0x\S+ \d+ (.)", re.MULTILINE)
_FAR = 4096
"""Warnings of the tools may be in front of the first table, but not so many."""


def is_dump_lfts(head: bytes) -> bool:
    """Return whether a file that begins with `head` has tables as dump_lfts prints them."""
    return bool(_HEAD.search(head[:_FAR])) and not is_opensm_lfts(head)


def is_opensm_lfts(head: bytes) -> bool:
    """Return whether it has tables as OpenSM writes them: there is # behind the ports."""
    match = _FIRST.search(head)
    return bool(_HEAD.search(head[:_FAR])) and match is not None and match[1] == b"#"


def read_lfts(file: TextFile) -> Tables:
    """Return the tables; RankwiseError names a wrong line, or the end of a table that lost rows."""
    sections: list[Section] = []
    counts: list[tuple[int, int]] = []

    def other(number: int, line: bytes) -> tuple[int, int] | None:
        text = line.strip()
        row = _ROW.fullmatch(text)
        if row and not file.is_cut(number):
            return int(row[1], 16), int(row[2])
        switch = _SWITCH.fullmatch(text)
        if switch:
            sections.append(Section(number, int(switch[1], 16)))
            return None
        count = _COUNT.fullmatch(text)
        if count:
            counts.append((number, int(count[1])))
        elif not _REMARK.fullmatch(text):
            raise file.error(number, "is no row of a forwarding table, or only a part of one")
        return None

    rows = read_rows(file, b" ", other)
    tables = tables_of(file, rows, sections)
    heads = [section.line for section in sections]
    for line, count in counts:
        head = heads[max(bisect(heads, line) - 1, 0)] if heads else 0
        first, behind = np.searchsorted(rows.lines, (head, line)).tolist()
        found = behind - first
        if found != count:
            raise file.error(line, f"there should be {count} rows above, and there are {found}")
    return Tables(file, tables)
