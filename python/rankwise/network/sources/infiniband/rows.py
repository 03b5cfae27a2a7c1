"""Rows of forwarding tables in bulk: files have millions of them, in few shapes.

RATIONALE: one regular expression a line reads some 500,000 rows a second. A whole block of rows is 30 times
as fast, and a block that differs from its predecessor in its ports alone, as for most switches, 150 times.
Lines of other shapes (heads, remarks, hand-written rows) are returned to the caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.network.sources.infiniband.values import MOST_LID, MOST_PORT
from rankwise.network.sources.parts import Table
from rankwise.network.sources.text import MOST_IN_LINE, TextFile

NOWHERE = 255
"""As a port: there is no way."""

_HEX = np.full(256, 255, np.uint8)
_HEX[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
_HEX[np.frombuffer(b"ABCDEF", np.uint8)] = np.arange(10, 16)
_DECIMAL = np.where(_HEX < 10, _HEX, 255)
_UNREACHABLE = b"UNREACHABLE"
_ROW = b"0x"
_BEHIND = re.compile(rb"\n(?!0x)")
"""The end of a block of rows."""
_DIGITS = len("DDD")


Other = Callable[[int, bytes, bool], tuple[int, int] | None]
"""Gets the number and the text of a line, and whether it is the last one and has no end: it may be cut off.
Returns LID and port if it is a row."""


class Rows(NamedTuple):
    """Rows of a file, without a line of another kind between them.

    Attributes:
        lines: n numbers of their lines, from 1, rising.
        lids: shape (n,), int64.
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
    blocks, line, rest = _Blocks(gap, other), 1, b""
    pieces = file.pieces()
    piece = next(pieces, b"")
    while piece:
        following = next(pieces, b"")
        text = rest + piece if rest else piece
        read, line = blocks.read(text, line, is_last=not following)
        rest, piece = text[read:], following
    return blocks.rows


class _Blocks:
    """Reads blocks of consecutive rows.

    The tables of all switches have the same LIDs, so their blocks mostly differ in the ports alone. A block
    is compared with the last one before it is taken to pieces.
    """

    def __init__(self, gap: bytes, other: Other) -> None:
        self.rows: list[Rows] = []
        self._gap = gap
        self._other = other
        self._last: _Alike | None = None

    def read(self, text: bytes, line: int, *, is_last: bool) -> tuple[int, int]:
        """Read lines, and return how many bytes were read, and the number of the next line.

        Args:
            text: whole lines.
            line: the number of the first.
            is_last: nothing follows; else a block at the end stays unread, because it may go on.
        """
        place = 0
        while place < len(text):
            if not text.startswith(_ROW, place):
                end = text.find(b"\n", place)
                end = len(text) if end < 0 else end
                self._line(line, text[place : min(end, place + MOST_IN_LINE)], end == len(text))
                place, line = end + 1, line + 1
                continue
            if self._last is not None:
                ports = self._last.ports(text, place)
                if ports is not None:
                    self.rows.append(Rows(range(line, line + len(ports)), self._last.lids, ports))
                    place, line = place + self._last.size, line + len(ports)
                    continue
            match = _BEHIND.search(text, place)
            if match is None and not is_last and place:
                break
            end = len(text) if match is None else match.start() + 1
            line += self._block(text[place:end], line)
            place = end
        return min(place, len(text)), line

    def _line(self, number: int, line: bytes, is_cut: bool) -> None:
        row = self._other(number, line, is_cut)
        if row:
            self.rows.append(Rows(range(number, number + 1), np.array(row[:1]), np.array(row[1:])))

    def _block(self, block: bytes, first: int) -> int:
        """Read lines that begin like rows, and return how many they are."""
        text = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(text == ord("\n"))
        starts = np.concatenate([[0], ends + 1])
        is_cut = bool(starts[-1] < len(text))
        if is_cut:
            ends = np.append(ends, len(text))
        starts = starts[: len(ends)]
        port_at = len(b"0xHHHH") + len(self._gap)
        line = np.flatnonzero(ends - starts > port_at + len(b"DDD"))
        if len(line) and is_cut and line[-1] == len(ends) - 1:
            line = line[:-1]
        line = line[_is_at(text, starts[line] + len(b"0xHHHH"), self._gap)]
        lids, is_lid = _number(text, _HEX, starts[line] + len(_ROW), len(b"HHHH"), 16)
        line, lids = line[is_lid], lids[is_lid]
        ports, is_row = _number(text, _DECIMAL, starts[line] + port_at, len(b"DDD"), 10)
        is_row &= text[starts[line] + port_at + len(b"DDD")] == ord(" ")
        may_be = np.flatnonzero(ends[line] - starts[line] == port_at + len(_UNREACHABLE))
        nowhere = may_be[_is_at(text, starts[line[may_be]] + port_at, _UNREACHABLE)]
        ports[nowhere] = NOWHERE
        is_row[nowhere] = True
        numbers, lids, ports = line[is_row] + first, lids[is_row], ports[is_row]
        if len(lids) == len(ends):
            self._last = _Alike(text, lids, starts + port_at, ports != NOWHERE)
            self.rows.append(Rows(range(first, first + len(ends)), lids, ports))
            return len(ends)
        is_other = np.ones(len(ends), np.bool_)
        is_other[line[is_row]] = False
        more = []
        for place in np.flatnonzero(is_other).tolist():
            begin, end = starts[place], ends[place]
            content = block[begin : min(end, begin + MOST_IN_LINE)]
            row = self._other(first + place, content, is_cut and place == len(ends) - 1)
            if row:
                more.append((first + place, *row))
        if more:
            rows = np.concatenate([np.stack([numbers, lids, ports]), np.array(more, np.int64).T], axis=1)
            numbers, lids, ports = rows[:, np.argsort(rows[0])]
        if len(numbers):
            self.rows.append(Rows(numbers, lids, ports))
        return len(ends)


class _Alike:
    """A block of rows, and the ports of blocks that differ in nothing else."""

    def __init__(
        self,
        text: NDArray[np.uint8],
        lids: NDArray[np.int64],
        ports_at: NDArray[np.int64],
        has_port: NDArray[np.bool_],
    ) -> None:
        """Keep a block.

        Args:
            text: of n rows.
            lids: shape (n,).
            ports_at: shape (n,): where the port of each begins.
            has_port: shape (n,): whether there are digits.
        """
        self.size = len(text)
        self.lids = lids
        self._text = text
        self._digits = ports_at[has_port] + np.arange(_DIGITS)[:, None]
        self._is_same = np.full(len(text), 255, np.uint8)
        self._is_same[self._digits] = 0
        self._has_port = None if has_port.all() else has_port
        steps = np.diff(ports_at, append=ports_at[0] + len(text))
        self._step = int(steps[0]) if has_port.all() and (steps == steps[0]).all() else 0

    def ports(self, text: bytes, place: int) -> NDArray[np.uint8] | None:
        """Return the ports of rows in `text` from a place on, shape (n,); None: they differ in form."""
        if place + self.size > len(text):
            return None
        block = np.frombuffer(text, np.uint8, self.size, place)
        if ((block ^ self._text) & self._is_same).any():
            return None
        if self._step:
            first = int(self._digits[0, 0])
            digits = [block[first + digit :: self._step] - np.uint8(ord("0")) for digit in range(_DIGITS)]
        else:
            digits = list(block[self._digits] - np.uint8(ord("0")))
        if any((digit > 9).any() for digit in digits):  # those before 0 have wrapped around
            return None
        numbers = digits[0] * np.uint16(100) + digits[1] * np.uint8(10) + digits[2]
        if (numbers > NOWHERE).any():
            return None
        if self._has_port is None:
            narrow: NDArray[np.uint8] = numbers.astype(np.uint8)
            return narrow
        ports = np.full(len(self.lids), NOWHERE, np.uint8)
        ports[self._has_port] = numbers
        return ports


def _is_at(text: NDArray[np.uint8], starts: NDArray[np.int64], word: bytes) -> NDArray[np.bool_]:
    matches = np.ones(len(starts), np.bool_)
    for offset, byte in enumerate(word):
        matches &= text[starts + offset] == byte
    return matches


def _number(
    text: NDArray[np.uint8], values: NDArray[np.uint8], starts: NDArray[np.int64], digits: int, base: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the numbers with this many digits, and where they are valid."""
    numbers = np.zeros(len(starts), np.int64)
    good = np.ones(len(starts), np.bool_)
    for digit in range(digits):
        value = values[text[starts + digit]]
        good &= value < base
        numbers = numbers * base + value
    return numbers, good


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
    lines, lids, ports = (
        np.concatenate([empty, *(np.asarray(each[part]) for each in rows)]) for part in range(3)
    )
    return Rows(lines, lids, ports)


def _check_rows(file: TextFile, rows: Sequence[Rows], first_switch: int) -> None:
    checked: NDArray[np.int64] | None = None
    wide = []  # neither with the LIDs of the rows before, nor with ports that are known to be in range
    for each in rows:
        if each.lids is not checked or each.ports.dtype != np.uint8 or each.lines[0] < first_switch:
            wide.append(each)
        checked = each.lids
    for is_wrong, message in (
        (
            lambda each: np.asarray(each.lines) < first_switch,
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
