"""Forwarding tables as dump_lfts, dump_fts and ibroute print them, and OpenSM writes them (opensm-lfts.dump).

LIDs are hexadecimal, ports decimal. A LID without a way is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from rankwise.network.sources.infiniband.rows import Rows, Section, read_rows, rows_between, tables_of
from rankwise.network.sources.parts import Tables
from rankwise.network.sources.text import TextFile, complained, is_complaint

_SWITCH = re.compile(rb"Unicast lids \[\w+-\w+\] of switch .*\bguid 0x([0-9a-fA-F]{1,16}) \(.*\):")
_ROW = re.compile(rb"0x([0-9a-fA-F]{1,8})\s+(\d{1,3})(?:\s+[:#].*)?")
_END = re.compile(rb"(\d{1,9}) (valid )?lids dumped")  # OpenSM counts none: it has the highest LID there
_REMARK = re.compile(rb"Lid\s+Out\s+Destination|Port\s+Info|\*+ WARNING.*|#.*|")
_HEAD = re.compile(rb"^Unicast lids \[", re.MULTILINE)
_FIRST = re.compile(rb"^0x\S+ \d+ (.)", re.MULTILINE)
_FAR = 4096
"""Warnings of the tools may precede the first table, but not more than this."""


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
    ends: list[tuple[int, int | None]] = []
    complaints: list[bytes] = []

    def other(number: int, line: bytes, is_cut: bool) -> tuple[int, int] | None:
        text = line.strip()
        row = _ROW.fullmatch(text)
        if row and not is_cut:
            return int(row[1], 16), int(row[2])
        switch = _SWITCH.fullmatch(text)
        if switch:
            sections.append(Section(number, int(switch[1], 16)))
            return None
        end = _END.fullmatch(text)
        if end:
            ends.append((number, int(end[1]) if end[2] else None))
        elif is_complaint(text):
            complaints.append(text)
        elif not _REMARK.fullmatch(text):
            raise file.error(number, "is not a row of a forwarding table, or only a part of one")
        return None

    rows = read_rows(file, b" ", other)
    tables = tables_of(file, rows, sections)
    _check_ends(file, rows, [section.line for section in sections], ends)
    warnings = [complained(file.path, len(complaints), complaints[0])] if complaints else []
    return Tables(file, tables, tuple(warnings))


def _check_ends(
    file: TextFile, rows: Sequence[Rows], heads: list[int], ends: list[tuple[int, int | None]]
) -> None:
    """Raise RankwiseError if a table has no end, or other rows than are counted there."""
    for place, head in enumerate(heads):
        behind = heads[place + 1] if place + 1 < len(heads) else math.inf
        if place == len(ends) or not head < ends[place][0] < behind:
            raise file.error(head, "the table that begins here has no end: is the file cut off?")
    lines = [line for line, _ in ends[: len(heads)]]
    for (line, count), found in zip(ends, rows_between(rows, heads, lines), strict=False):
        if count is not None and found != count:
            raise file.error(line, f"expected {count} rows above, found {found}")
