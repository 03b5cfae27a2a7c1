"""Rows of forwarding tables in bulk: files have millions of them, in few shapes.

RATIONALE: one regular expression a line reads some 500,000 rows a second; these are 30 times as many. Lines
of other shapes (heads, remarks, hand-written rows) are returned to the caller.
"""

from __future__ import annotations

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


class Rows(NamedTuple):
    """Rows of a file.

    Attributes:
        lines: shape (n,), int64: numbers of their lines, from 1, rising.
        lids: shape (n,), int64.
        ports: shape (n,), int64: NOWHERE, too.
    """

    lines: NDArray[np.int64]
    lids: NDArray[np.int64]
    ports: NDArray[np.int64]


def read_rows(file: TextFile, gap: bytes, other: Callable[[int, bytes], tuple[int, int] | None]) -> Rows:
    """Return the rows: `0xHHHH`, the gap, then `DDD` and a blank, or UNREACHABLE and the end of the line.

    Args:
        file: it.
        gap: between LID and port.
        other: is called with the number and the text of each line that is not like that, and returns LID and
            port if it is a row in spite of that. Also of a last line without an end: it may be cut off.
    """
    text = np.frombuffer(file.data, np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    starts = np.concatenate([[0], ends + 1])
    if starts[-1] < len(text):
        ends = np.append(ends, len(text))
    starts = starts[: len(ends)]
    port_at = len(b"0xHHHH") + len(gap)
    line = np.flatnonzero(ends - starts > port_at + len(b"DDD"))
    if len(line) and ends[line[-1]] == len(text):
        line = line[:-1]
    line = line[_is_at(text, starts[line], b"0x") & _is_at(text, starts[line] + len(b"0xHHHH"), gap)]
    lids, is_lid = _number(text, _HEX, starts[line] + len(b"0x"), len(b"HHHH"), 16)
    line, lids = line[is_lid], lids[is_lid]
    ports, is_row = _number(text, _DECIMAL, starts[line] + port_at, len(b"DDD"), 10)
    is_row &= text[starts[line] + port_at + len(b"DDD")] == ord(" ")
    may_be = np.flatnonzero(ends[line] - starts[line] == port_at + len(_UNREACHABLE))
    nowhere = may_be[_is_at(text, starts[line[may_be]] + port_at, _UNREACHABLE)]
    ports[nowhere] = NOWHERE
    is_row[nowhere] = True
    is_other = np.ones(len(ends), np.bool_)
    is_other[line[is_row]] = False
    more = []
    for number in np.flatnonzero(is_other).tolist():
        row = other(number + 1, file.data[starts[number] : min(ends[number], starts[number] + MOST_IN_LINE)])
        if row:
            more.append((number + 1, *row))
    rows = Rows(line[is_row] + 1, lids[is_row], ports[is_row])
    if not more:
        return rows
    both = [np.append(old, column) for old, column in zip(rows, np.array(more, np.int64).T, strict=True)]
    order = np.argsort(both[0])
    return Rows(*(column[order] for column in both))


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


def tables_of(file: TextFile, rows: Rows, sections: Sequence[Section]) -> dict[int, Table]:
    """Return the tables of the wanted sections.

    Raises:
        RankwiseError: a row belongs to no switch, a LID or a port is out of range, or a LID occurs twice.
    """
    _check_rows(file, rows, sections[0].line if sections else 1 << 62)
    bounds = np.searchsorted(rows.lines, [*(section.line for section in sections), 1 << 62]).tolist()
    tables: dict[int, Table] = {}
    for section, first, last in zip(sections, bounds[:-1], bounds[1:], strict=True):
        if not section.wanted:
            continue
        if section.guid in tables:
            before = tables[section.guid].line
            raise file.error(section.line, f"switch 0x{section.guid:016x} was already given in line {before}")
        part = Rows(*(column[first:last] for column in rows))
        _check_unique(file, part)
        way = part.ports != NOWHERE
        tables[section.guid] = Table(section.line, part.lids[way], part.ports[way])
    return tables


def _check_rows(file: TextFile, rows: Rows, first_switch: int) -> None:
    for wrong, message in (
        (rows.lines < first_switch, "is a row of a forwarding table, but there is no switch above it"),
        (rows.lids > MOST_LID, f"its LID is above the maximum {MOST_LID:#x}"),
        ((rows.lids == 0) & (rows.ports != NOWHERE), "LID 0 is not a valid LID of a port"),
        (rows.ports > NOWHERE, f"its port is above {MOST_PORT}"),
    ):
        if wrong.any():
            raise file.error(int(rows.lines[np.argmax(wrong)]), message)


def _check_unique(file: TextFile, rows: Rows) -> None:
    if (np.diff(rows.lids) > 0).all():
        return
    order = np.argsort(rows.lids, kind="stable")
    same = np.flatnonzero(np.diff(rows.lids[order]) == 0)
    if len(same):
        twice = order[same[0] + 1]
        raise file.error(int(rows.lines[twice]), f"LID {rows.lids[twice]:#06x} of this switch is given twice")
