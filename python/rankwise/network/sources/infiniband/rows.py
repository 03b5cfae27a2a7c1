"""Rows of forwarding tables in bulk: files have millions of them, in few shapes.

RATIONALE: one regular expression a line reads some 500,000 rows a second. The native library reads a hundred
times as many. Lines of other shapes (heads, remarks, hand-written rows) are returned to the caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.native import Arguments
from rankwise.network.sources.infiniband.values import MOST_LID, MOST_PORT
from rankwise.network.sources.parts import Table
from rankwise.network.sources.text import MOST_IN_LINE, TextFile

NOWHERE = 255
"""As a port: there is no way."""

_ROOM = 1 << 16
"""Rows of a block: as many as there are LIDs."""
_NEWLINE = re.compile(rb"\n")

Other = Callable[[int, bytes, bool], tuple[int, int] | None]
"""Gets the number and the text of a line, and whether it is the last one and has no end: it may be cut off.
Returns LID and port if it is a row."""


class Rows(NamedTuple):
    """Rows of a file, without a line of another kind between them.

    Attributes:
        lines: n numbers of their lines, from 1, rising.
        lids: shape (n,), int64. Blocks with the same LIDs share it.
        ports: shape (n,), of any integers: NOWHERE, too.
    """

    lines: range | NDArray[np.int64]
    lids: NDArray[np.int64]
    ports: NDArray[np.integer]


def read_rows(file: TextFile, gap: bytes, other: Other) -> list[Rows]:
    """Return the rows: `0xHHHH`, the gap, then `DDD` and a blank, or UNREACHABLE and the end of the line.

    Args:
        file: it.
        gap: between LID and port.
        other: is called for each line that is not like that.
    """
    blocks, line = _Blocks(gap), 1
    for piece in file.pieces():
        place = 0
        while place < len(piece):
            size, count = blocks.read(piece, place, line)
            if count:
                place, line = place + size, line + count
                continue
            newline = _NEWLINE.search(piece, place)
            end = newline.start() if newline else len(piece)
            row = other(line, bytes(piece[place : min(end, place + MOST_IN_LINE)]), newline is None)
            if row:
                blocks.add(line, *row)
            place, line = end + 1, line + 1
    return blocks.finished()


class _Blocks:
    """Blocks of consecutive rows, which pieces of a file may divide."""

    def __init__(self, gap: bytes) -> None:
        self._rows: list[Rows] = []
        self._gap = gap
        self._first = 0
        """The line of the first row of the block that is being read."""
        self._given = Arguments()
        self._block = self._given.new("struct rankwise_rows *")
        self._lids = np.empty(_ROOM, np.uint32)
        self._ports = np.empty(_ROOM, np.uint16)
        self._last = self._lids[:0]
        self._wide = np.empty(0, np.int64)
        """The LIDs of the last block, in both forms."""
        self._block.room = _ROOM
        self._block.lid = self._given.pointer(self._lids, np.uint32, "uint32_t *")
        self._block.port = self._given.pointer(self._ports, np.uint16, "uint16_t *")

    def read(self, text: memoryview, place: int, line: int) -> tuple[int, int]:
        """Read rows from a place in a text on, and return how many bytes and rows these are.

        Args:
            text: whole lines.
            place: where a line begins.
            line: the number of this line.
        """
        before = self._begun(line)
        start = self._given.ffi.from_buffer(text) + place
        read: int = self._given.library.rankwise_read_rows(start, len(text) - place, self._gap, self._block)
        return read, self._block.count - before

    def add(self, line: int, lid: int, port: int) -> None:
        """Add a row that was read otherwise."""
        place = self._begun(line)
        self._lids[place], self._ports[place] = lid, port
        self._block.count += 1

    def finished(self) -> list[Rows]:
        """Return all of them."""
        self._end_block()
        return self._rows

    def _begun(self, line: int) -> int:
        """Begin a block at a line unless the present one goes on there, and return how many rows it has."""
        if self._first + self._block.count != line or self._block.count == _ROOM:
            self._end_block()
            self._first = line
        count: int = self._block.count
        return count

    def _end_block(self) -> None:
        count, self._block.count = self._block.count, 0
        if not count:
            return
        if not np.array_equal(self._last, self._lids[:count]):
            self._last = self._lids[:count].copy()
            self._wide = self._last.astype(np.int64)
        ports = self._ports[:count]
        ports = ports.astype(np.uint8) if ports.max() <= NOWHERE else ports.copy()
        self._rows.append(Rows(range(self._first, self._first + count), self._wide, ports))


class Section(NamedTuple):
    """Where the table of a switch begins: its line, the switch's GUID, whether it is wanted."""

    line: int
    guid: int
    wanted: bool = True


def tables_of(file: TextFile, rows: Sequence[Rows], sections: Sequence[Section]) -> dict[int, Table]:
    """Return the tables of the wanted sections.

    Raises:
        RankwiseError: a row belongs to no switch, a LID or a port is out of range, or a LID occurs twice.
    """
    _check_rows(file, rows, sections[0].line if sections else 1 << 62)
    begins = [each.lines[0] for each in rows]
    bounds = np.searchsorted(begins, [*(section.line for section in sections), 1 << 62]).tolist()
    tables: dict[int, Table] = {}
    rising: NDArray[np.int64] | None = None
    for section, first, last in zip(sections, bounds[:-1], bounds[1:], strict=True):
        if not section.wanted:
            continue
        if section.guid in tables:
            before = tables[section.guid].line
            raise file.error(section.line, f"switch 0x{section.guid:016x} was already given in line {before}")
        part = _together(rows[first:last])
        if part.lids is not rising:
            _check_unique(file, part)
            rising = part.lids
        way = part.ports != NOWHERE
        lids, ports = (part.lids, part.ports) if way.all() else (part.lids[way], part.ports[way])
        tables[section.guid] = Table(section.line, lids, ports.astype(np.uint8, copy=False))
    return tables


def rows_between(rows: Sequence[Rows], first: Sequence[int], last: Sequence[int]) -> list[int]:
    """Return how many rows there are between two lines of another kind, for several such pairs."""
    begins = [each.lines[0] for each in rows]
    before = np.cumsum([0, *(len(each.lids) for each in rows)])
    counts: list[int] = (
        before[np.searchsorted(begins, last)] - before[np.searchsorted(begins, first)]
    ).tolist()
    return counts


def _together(rows: Sequence[Rows]) -> Rows:
    if len(rows) == 1:
        return rows[0]
    empty = np.empty(0, np.int64)
    lines = np.concatenate([empty, *(np.arange(each.lines[0], each.lines[-1] + 1) for each in rows)])
    lids, ports = (np.concatenate([empty, *(each[part] for each in rows)]) for part in (1, 2))
    return Rows(lines, lids, ports)


def _check_rows(file: TextFile, rows: Sequence[Rows], first_switch: int) -> None:
    checked: NDArray[np.int64] | None = None
    wide = []  # neither with the LIDs of the rows before, nor with ports that are known to be in range
    for each in rows:
        if each.lids is not checked or each.ports.dtype != np.uint8 or each.lines[0] < first_switch:
            wide.append(each)
            checked = each.lids if each.lids.all() else None
    for is_wrong, message in (
        (
            lambda each: np.array([each.lines[0] < first_switch]),
            "is a row of a forwarding table, but there is no switch above it",
        ),
        (lambda each: each.lids > MOST_LID, f"its LID is above the maximum {MOST_LID:#x}"),
        (lambda each: (each.lids == 0) & (each.ports != NOWHERE), "LID 0 is not a valid LID of a port"),
        (lambda each: each.ports > NOWHERE, f"its port is above {MOST_PORT}"),
    ):
        for each in wide:
            wrong = is_wrong(each)
            if wrong.any():
                raise file.error(int(each.lines[np.argmax(wrong)]), message)


def _check_unique(file: TextFile, rows: Rows) -> None:
    if (np.diff(rows.lids) > 0).all():
        return
    order = np.argsort(rows.lids, kind="stable")
    same = np.flatnonzero(np.diff(rows.lids[order]) == 0)
    if len(same):
        twice = order[same[0] + 1]
        raise file.error(int(rows.lines[twice]), f"LID {rows.lids[twice]:#06x} of this switch is given twice")
